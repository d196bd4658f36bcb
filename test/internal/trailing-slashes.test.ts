import { expect, test } from "vitest";
import { withoutTrailingSlashes } from "../../src/internal/trailing-slashes.ts";

test.each([
  ["", ""],
  ["/", ""],
  ["a//", "a"],
  ["/a/b", "/a/b"],
  [`${"/".repeat(100_000)}x`, `${"/".repeat(100_000)}x`],
])("the slashes at the end go", (text, without) => {
  expect(withoutTrailingSlashes(text)).toBe(without);
});
