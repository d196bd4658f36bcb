import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGES } from "../../docs/.vitepress/parts.ts";
import { MANUAL_PAGES } from "../../scripts/manual-pages.ts";
import { REVIEWS } from "../../src/checkout/rules/view.ts";

const read = (page: string) => readFileSync(page, "utf8");
const wordCount = (text: string) => text.split(/\s+/).filter(Boolean).length;

test("the README has at most 700 words, and five bullets of at most fifteen on its first screen", () => {
  const readme = read("README.md");
  expect(wordCount(readme)).toBeLessThanOrEqual(700);
  const bullets = [...readme.matchAll(/^- (.+)$/gm)].map(([, bullet = ""]) => bullet);
  expect(bullets).toHaveLength(5);
  for (const bullet of bullets) expect(wordCount(bullet), bullet).toBeLessThanOrEqual(15);
});

const shown = PAGES.map(({ path }) => `docs/${path}.md`);
/** The home page, and the page for machines. */
const APART = ["docs/SKILL.md", "docs/index.md"];
const FOR_CONTRIBUTORS = /^docs\/(?:contributing|decisions)\//;

test.each(PAGES)("the page $path has the title that the side bar shows", ({ path, title }) => {
  const [, heading = ""] = /^# (.+)$/m.exec(read(`docs/${path}.md`)) ?? [];
  expect(heading.replaceAll("`", "")).toBe(title);
});

test.each(PAGES)("the page $path has at most $words words", ({ path, words }) => {
  expect(wordCount(read(`docs/${path}.md`))).toBeLessThanOrEqual(words);
});

test("the pages that ship have at most 27,000 words", () => {
  const shipped = MANUAL_PAGES.filter((page) => !FOR_CONTRIBUTORS.test(page));
  const words = shipped.reduce((sum, page) => sum + wordCount(read(page)), 0);
  process.stdout.write(`the manual: ${words} words\n`);
  expect(words).toBeLessThanOrEqual(27_000);
});

test("a guide has at most 600 words, its code included", () => {
  const guides = PAGES.filter(({ path }) => path.startsWith("guides/"));
  expect(guides.length).toBeGreaterThan(20);
  expect(guides.filter(({ words }) => words > 600)).toEqual([]);
});

test("each page is in a part of the manual, or is for contributors", () => {
  const pages = MANUAL_PAGES.filter((page) => !APART.includes(page));
  expect(pages.filter((page) => !FOR_CONTRIBUTORS.test(page)).sort()).toEqual(shown.toSorted());
});

test("the page of contributors links to each page that is for them", () => {
  const contributing = read("CONTRIBUTING.md");
  for (const page of MANUAL_PAGES.filter((one) => FOR_CONTRIBUTORS.test(one)))
    expect(contributing).toContain(page);
});

test("each path that CONTRIBUTING names exists, apart from files that a change would add", () => {
  const lines = read("CONTRIBUTING.md").split("\n");
  const paths = lines
    .filter((line) => !line.includes("| new: "))
    .flatMap((line) => [...line.matchAll(/`((?:src|test|scripts|docs|examples)\/[^` ]*)`/g)])
    .map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test("each message of the page of error messages is one that the code throws", () => {
  const code = globSync("src/**/*.ts").map(read).join("\n").replace(/\s+/g, " ");
  const messages = [...read("docs/reference/error-messages.md").matchAll(/^### `(.+)`$/gm)];
  expect(messages.length).toBeGreaterThan(10);
  for (const [, message = ""] of messages) {
    // What is between the parts that differ from case to case.
    for (const part of message
      .split(/…/)
      .map((one) => one.trim())
      .filter(Boolean)) {
      expect(code, message).toContain(part);
    }
  }
});

test("the page of refunds says what to do about each review", () => {
  const page = read("docs/operations/refunds.md");
  for (const kind of Object.keys(REVIEWS))
    expect(page).toMatch(new RegExp(`^\\| .*\`${kind}\``, "m"));
});

test("the code refers only to headings that the pages of the reference have", () => {
  let references = 0;
  for (const file of globSync("src/**/*.ts")) {
    for (const [, page = "", heading] of read(file).matchAll(/(docs\/[\w/-]+\.md), "([^"]+)"/g)) {
      references++;
      const headings = [...read(page).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
      expect(headings, file).toContain(heading);
    }
  }
  expect(references).toBeGreaterThan(30);
});
