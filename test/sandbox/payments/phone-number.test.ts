import { expect, test } from "vitest";
import { localFormat } from "../../../src/sandbox/state/notation.ts";

test.each([
  ["254712345678", "0712 345 678"],
  ["254110345678", "0110 345 678"],
  ["256772345678", "+256772345678"],
])("localFormat writes %s as %s", (digits, text) => {
  expect(localFormat(digits)).toBe(text);
});
