// Every pair of text and ground below holds WCAG AA (4.5:1), every border of a control 3:1.
export const TOKENS = `
:root {
  color-scheme: light dark;
  --paper: #f5f4f0;
  --surface: #ffffff;
  --sunken: #f3f1ec;
  --line: #e2ded6;
  --edge: #878277;
  --ink: #1b2025;
  --ink-2: #525962;
  --ink-3: #666d76;
  --accent: #0a6279;
  --accent-hover: #084f62;
  --on-accent: #ffffff;
  --accent-soft: #e3f1f4;
  --good: #17693c;
  --good-soft: #e4f3ea;
  --bad: #ab251c;
  --bad-soft: #fceae8;
  --waiting: #7d5200;
  --waiting-soft: #fcf0d8;
  --shadow: 0 1px 2px rgb(38 32 20 / 5%), 0 6px 20px -8px rgb(38 32 20 / 10%);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace;
  --tiny: .75rem;
  --small: .8125rem;
  --body: .875rem;
  --title: 1.0625rem;
  --big: 1.5rem;
  --r-1: 6px;
  --r-2: 10px;
  --r-3: 16px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0f1316;
    --surface: #171c20;
    --sunken: #11161a;
    --line: #293037;
    --edge: #6d7782;
    --ink: #e9ecee;
    --ink-2: #aeb6bd;
    --ink-3: #929ba4;
    --accent: #6cc5dc;
    --accent-hover: #8fd5e7;
    --on-accent: #06242d;
    --accent-soft: #12303a;
    --good: #69cf98;
    --good-soft: #12301f;
    --bad: #ff9b90;
    --bad-soft: #3b1a17;
    --waiting: #ebbc5a;
    --waiting-soft: #35290e;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 10px 28px -12px rgb(0 0 0 / 60%);
  }
}
`;
