import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (page: string) => readFileSync(page, "utf8");
const wordCount = (text: string) => text.split(/\s+/).filter(Boolean).length;

test("the README has at most 900 words, and five bullets of at most fifteen on its first screen", () => {
  const readme = read("README.md");
  expect(wordCount(readme)).toBeLessThanOrEqual(900);
  const bullets = [...readme.matchAll(/^- (.+)$/gm)].map(([, bullet = ""]) => bullet);
  expect(bullets).toHaveLength(5);
  for (const bullet of bullets) expect(wordCount(bullet), bullet).toBeLessThanOrEqual(15);
});

test.each(globSync("docs/*.md"))("the README links to %s", (page) => {
  expect(read("README.md")).toContain(`](${page})`);
});

test("the code refers only to headings that docs/service.md has", () => {
  const headings = [...read("docs/service.md").matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  for (const file of globSync("src/**/*.ts")) {
    for (const [, heading] of read(file).matchAll(/docs\/service\.md, "([^"]+)"/g)) {
      expect(headings, file).toContain(heading);
    }
  }
});
