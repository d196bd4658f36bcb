import { describe, expect, test } from "vitest";
import { csvField } from "../../src/internal/csv-field.ts";
import { fc } from "../support/properties.ts";

describe("a field of CSV that a spreadsheet would run gets an apostrophe", () => {
  test.each([
    ["=1+1", `"'=1+1"`],
    ["+254712", `"'+254712"`],
    ["-5.00", `"'-5.00"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    // Of full width, and in other forms that a spreadsheet takes for the same.
    ["＝1+1", `"'＝1+1"`],
    ["＋1", `"'＋1"`],
    ["－1", `"'－1"`],
    ["＠SUM(A1)", `"'＠SUM(A1)"`],
    ["﹦1", `"'﹦1"`],
    // What a spreadsheet leaves out before it reads.
    [" =1", `" '=1"`],
    ["\t=1", `"'\t'=1"`],
    ["\r=1", `"'\r'=1"`],
    ["\n=1", `"'\n'=1"`],
    ["\u00a0=1", `"\u00a0'=1"`],
    ["\ufeff=1", `"\ufeff'=1"`],
    ["\u200b=1", `"\u200b'=1"`],
    ["\u0000=1", `"\u0000'=1"`],
    ['"=1', `"""'=1"`],
    // Dangerous by themselves.
    ["\tx", `"'\tx"`],
    ["\rx", `"'\rx"`],
    ["\nx", `"'\nx"`],
    // Where a spreadsheet that cuts elsewhere begins another cell.
    ["a;=1", `"a;'=1"`],
    ["a,=1", `"a,'=1"`],
    ['a";"=1', `"a"";""'=1"`],
    ["a\n=1", `"a\n'=1"`],
    ["a\r\n =1", `"a\r\n '=1"`],
    ["a\t=1;+2", `"a\t'=1;'+2"`],
  ])("%j", (text, field) => {
    expect(csvField(text)).toBe(field);
  });
});

describe("a harmless field of CSV stays as it is", () => {
  test.each([
    ["", `""`],
    ["ORDER-42", `"ORDER-42"`],
    ["a = b", `"a = b"`],
    ["1,500.00", `"1,500.00"`],
    ["Chairs, tables; two + two", `"Chairs, tables; two + two"`],
    ["amina@shop.example", `"amina@shop.example"`],
    ['a "b" c', `"a ""b"" c"`],
  ])("%j", (text, field) => {
    expect(csvField(text)).toBe(field);
  });
});

test("a long field of CSV takes no longer for each of its characters", () => {
  const blanks = "\n\t;,".repeat(250_000);
  expect(csvField(blanks)).toHaveLength(blanks.length + 3);
});

test("no cell of CSV begins with a formula, wherever a spreadsheet cuts it", () => {
  const character = fc.constantFrom(...'=+-@＝ \t\r\n;,"a1');
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
      for (const cell of csvField(text)
        .slice(1, -1)
        .split(/[;,\t\r\n]/)) {
        expect(cell).not.toMatch(/^[\s"]*[=+\-@＝]/);
      }
    }),
  );
});
