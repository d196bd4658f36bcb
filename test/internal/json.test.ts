import { expect, test } from "vitest";
import { canonicalJson } from "../../src/internal/canonical-json.ts";
import { jsonText, writeJson } from "../../src/internal/json.ts";
import { fc } from "../support/properties.ts";

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
  expect([jsonText(JSON.parse(text)), jsonText(JSON.parse(text), 2)]).toEqual([text, text]);
});

test("a value is shown as JSON shows it", () => {
  const value = { b: [1, { x: null }], a: undefined, c: "\n" };
  expect(jsonText(value)).toBe(JSON.stringify(value));
  expect(jsonText(value, 2)).toBe(JSON.stringify(value, null, 2));
  expect(jsonText(undefined)).toBe("undefined");
  expect(() => jsonText(1n)).toThrow(TypeError);
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

test("a value that is written is noted as its text holds it", () => {
  fc.assert(
    fc.property(fc.anything({ withBoxedValues: true, withDate: true }), (given) => {
      const text = JSON.stringify(given);
      const written = writeJson(given);
      expect(written?.text).toBe(text);
      if (text === undefined) return;
      expect(canonicalJson(written?.value)).toBe(canonicalJson(JSON.parse(text)));
    }),
  );
});

test("a `toJSON` that writes something else each time is asked once", () => {
  let count = 0;
  const written = writeJson({ amount: { toJSON: () => ++count } });
  expect(written?.text).toBe('{"amount":1}');
  expect(written?.value).toEqual({ amount: 1 });
});

test("an object that calls itself a string is noted field by field", () => {
  const odd = { [Symbol.toStringTag]: "String", "": 1, b: [new Number(2)] };
  expect(canonicalJson(writeJson(odd)?.value)).toBe('{"":1,"b":[2]}');
});

test("a cycle is an error, and an object that is there twice is written twice", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  expect(() => writeJson(cycle)).toThrow(TypeError);
  const twice = { a: { b: 1 } };
  expect(writeJson([twice, twice])?.value).toEqual([{ a: { b: 1 } }, { a: { b: 1 } }]);
});
