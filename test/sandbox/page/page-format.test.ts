import { expect, test } from "vitest";
import { indented } from "../../../src/sandbox/page/page-format.ts";
import { fc } from "../../support/properties.ts";

test("JSON gets a line for each value, however it was written", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, blanks) => {
      const expected = JSON.stringify(value, null, 2);
      expect(indented(JSON.stringify(value, null, blanks))).toBe(expected);
    }),
  );
});

test("no other character of JSON is changed, and no other text", () => {
  expect(indented('{"amount":100.00}')).toBe('{\n  "amount": 100.00\n}');
  expect(indented('{"a": nothing')).toBe('{"a": nothing');
});
