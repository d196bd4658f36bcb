import { expect, test } from "vitest";
import { patternsIn, problemOf } from "../../scripts/check-patterns.ts";

const problems = (text: string) => Promise.all(patternsIn("a.ts", text).map(problemOf));

test.each(["/^\\s*(a)?\\s*$/", "/^(a+)+$/", "/x.*\\//"])(
  "the check of the patterns finds %s, which a long text makes slow",
  async (pattern) => {
    const [problem] = await problems(`const isIt = ${pattern}.test(text);`);
    expect(problem).toMatch(/polynomial|exponential/);
  },
);

test("the check of the patterns reads each literal, with its flags and its line", async () => {
  expect(patternsIn("a.ts", 'const a = 1;\nsplit(/[/"]/gu, b / c / 2);')).toEqual([
    { place: "a.ts:2", source: '[/"]', flags: "gu" },
  ]);
  expect(await problems("/^[a-z]+$/i")).toEqual([undefined]);
});
