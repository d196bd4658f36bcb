import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PARTS } from "../../docs/.vitepress/parts.ts";
import { MANUAL_PAGES } from "../../scripts/manual-pages.ts";

const read = (page: string) => readFileSync(page, "utf8");
const wordCount = (text: string) => text.split(/\s+/).filter(Boolean).length;

test("the README has at most 700 words, and five bullets of at most fifteen on its first screen", () => {
  const readme = read("README.md");
  expect(wordCount(readme)).toBeLessThanOrEqual(700);
  const bullets = [...readme.matchAll(/^- (.+)$/gm)].map(([, bullet = ""]) => bullet);
  expect(bullets).toHaveLength(5);
  for (const bullet of bullets) expect(wordCount(bullet), bullet).toBeLessThanOrEqual(15);
});

const linked = MANUAL_PAGES.filter((page) => !["docs/index.md", "docs/how-to.md"].includes(page));

test.each(linked)("the page of questions links to %s", (page) => {
  expect(read("docs/how-to.md")).toContain(`](${page.slice("docs/".length)}`);
});

test.each(linked)("%s is in a part of the manual", (page) => {
  const pages = PARTS.flatMap(([, ...names]) => names).map((name) => `docs/${name}.md`);
  expect(pages).toContain(page);
});

test("each message of the page of error messages is one that the code throws", () => {
  const code = globSync("src/**/*.ts").map(read).join("\n").replace(/\s+/g, " ");
  const messages = [...read("docs/troubleshooting.md").matchAll(/^### `(.+)`$/gm)];
  expect(messages.length).toBeGreaterThan(15);
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

test("the code refers only to headings that docs/service.md has", () => {
  const headings = [...read("docs/service.md").matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  for (const file of globSync("src/**/*.ts")) {
    for (const [, heading] of read(file).matchAll(/docs\/service\.md, "([^"]+)"/g)) {
      expect(headings, file).toContain(heading);
    }
  }
});
