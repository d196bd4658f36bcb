import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const THROWS = /^#+ Throws\n\n(.*)$/gm;
/** A link to the class of an error, or the name of one that the language has. */
const NAMED_ERROR = /^(\[\w+\]\([\w./]+\.md\)|`\w+`)/;

test("the reference names the error of every @throws", () => {
  const pages = globSync("docs/api/**/*.md");
  if (pages.length === 0) throw new Error("Build the manual: npm run docs");
  const texts = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(THROWS)].map(([, text = ""]) => `${page}: ${text}`),
  );
  expect(texts.length).toBeGreaterThan(50);
  expect(texts.filter((text) => !NAMED_ERROR.test(text.slice(text.indexOf(": ") + 2)))).toEqual([]);
});
