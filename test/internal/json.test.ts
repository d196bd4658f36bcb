import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../src/internal/json.ts";

test("it writes JSON of the same content", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("the order of fields makes no difference, at any depth", () => {
  const one = { b: [{ y: 1, x: "2" }], a: null };
  const other = { a: null, b: [{ x: "2", y: 1 }] };
  expect(canonicalJson(one)).toBe('{"a":null,"b":[{"x":"2","y":1}]}');
  expect(canonicalJson(other)).toBe(canonicalJson(one));
});

test("the order of a list makes a difference", () => {
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test("a value that nests 100,000 deep is written", () => {
  const text = "[".repeat(100_000) + "]".repeat(100_000);
  expect(canonicalJson(JSON.parse(text))).toBe(text);
});

test("the text of a value is the same at every depth", () => {
  const nest = (value: unknown, depth: number): unknown =>
    depth === 0 ? value : [nest(value, depth - 1)];
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(50, 99, 100, 101, 150), (value, depth) => {
      const text = canonicalJson(nest(value, depth));
      expect(text).toBe("[".repeat(depth) + canonicalJson(value) + "]".repeat(depth));
    }),
  );
});

test.each(["", '"', "\\", "\n", "\u0000", "\u007f", "\u009f", "\ud800", "😀", "é", "\u2028"])(
  "a text and a name are escaped as JSON escapes them: %j",
  (text) => {
    const value = { [`${text}name`]: text };
    expect(canonicalJson(value)).toBe(JSON.stringify(value));
  },
);
