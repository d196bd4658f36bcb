import { isOurs, type Measured } from "./table.ts";

const WIDTH = 760;
const LABELS = 400;
const LINE = 22;
const HEAD = 40;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const heightOf = ({ bars }: Measured): number => HEAD + bars.length * LINE + 16;

function panel(measured: Measured, top: number): string {
  const most = Math.max(...measured.bars.map(({ value }) => value));
  const room = WIDTH - LABELS - 90;
  const lines = measured.bars.map(({ label, value, text }, index) => {
    const y = top + HEAD + index * LINE;
    const width = Math.max(2, (value / most) * room).toFixed(1);
    const kind = isOurs(label) ? "ours" : "peer";
    return [
      `<text class="label ${kind}" x="${LABELS - 10}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="${kind}" x="${LABELS}" y="${y + 2}" width="${width}" height="14" rx="3"/>`,
      `<text class="figure" x="${LABELS + Number(width) + 8}" y="${y + 13}">${escaped(text)}</text>`,
    ].join("\n");
  });
  return [
    `<text class="title" x="16" y="${top + 24}">${escaped(measured.title)}</text>`,
    ...lines,
  ].join("\n");
}

/** All benchmarks as horizontal bars, shorter is better, ours marked. */
export function chart(all: readonly Measured[]): string {
  const drawn = all.filter(({ bars }) => bars.length > 0);
  let top = 0;
  const panels = drawn.map((measured) => {
    const drawing = panel(measured, top);
    top += heightOf(measured);
    return drawing;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" role="img" aria-label="malipo beside its peers; shorter is better">
<style>
svg { background: #fff; font: 12px system-ui, sans-serif; }
.title { font-size: 14px; font-weight: 600; fill: #14213d; }
.label { fill: #4a5568; } .label.ours { fill: #0b6e4f; font-weight: 600; } .figure { fill: #14213d; }
rect.peer { fill: #b8c2cc; } rect.ours { fill: #0b6e4f; }
@media (prefers-color-scheme: dark) {
  svg { background: #10151c; } .title, .figure { fill: #e6edf3; } .label { fill: #9fb0c0; }
  .label.ours { fill: #4cc38a; } rect.peer { fill: #4a5866; } rect.ours { fill: #4cc38a; }
}
</style>
${panels.join("\n")}
</svg>
`;
}
