import { describe, expect, test } from "vitest";
import {
  checkChoice,
  checkFunction,
  checkMilliseconds,
  checkWholeNumber,
  ownOptions,
} from "../../src/internal/check-options.ts";

const configuration = (message: string) =>
  expect.objectContaining({ code: "configuration", message });

test("an unknown option is rejected with the names that are known", () => {
  expect(() => ownOptions({ a: 1, c: 2 }, ["a", "b"], "createShop")).toThrow(
    configuration('createShop has no option "c". Its options are: a, b.'),
  );
  expect(ownOptions({ a: 1 }, ["a", "b"], "createShop")).toEqual({ a: 1 });
});

test.each([
  [null, "null"],
  ["sk_live_1", "a string"],
  [["a"], "an array"],
  [() => {}, "a function"],
])("options that are not an object are rejected, and not shown: %j", (options, got) => {
  expect(() => ownOptions(options as object, ["a", "b"], "createShop")).toThrow(
    configuration(`createShop takes an object with options; got ${got}. Its options are: a, b.`),
  );
});

test("a value that is none of the choices is rejected", () => {
  expect(() => checkChoice("clock", "slow", ["virtual", "real"])).toThrow(
    configuration('`clock` must be one of "virtual", "real"; got a string.'),
  );
  expect(() => checkChoice("clock", "real", ["virtual", "real"])).not.toThrow();
});

test("a value that is not a function is rejected", () => {
  expect(() => checkFunction("fetch", {})).toThrow(
    configuration("`fetch` must be a function; got an object."),
  );
  expect(() => checkFunction("fetch", () => {})).not.toThrow();
});

describe("numbers", () => {
  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", null, undefined, [], 11])(
    "%s is not a whole number from 1 to 10",
    (value) => {
      expect(() => checkWholeNumber("concurrency", value, 1, 10)).toThrow(
        /^`concurrency` must be a whole number from 1 to 10; got .+\.$/,
      );
    },
  );

  test.each([0, -1, Number.NaN, 2 ** 31, "3", null])("%s is not a timeout", (value) => {
    expect(() => checkMilliseconds("timeoutMs", value)).toThrow(
      /^`timeoutMs` must be a number of milliseconds above 0 and at most 2147483647; got .+\.$/,
    );
  });

  test("numbers at the bounds pass", () => {
    expect(checkWholeNumber("n", 1, 1, 10)).toBe(1);
    expect(checkWholeNumber("n", 10, 1, 10)).toBe(10);
    expect(checkMilliseconds("ms", 0.5)).toBe(0.5);
    expect(checkMilliseconds("ms", 2 ** 31 - 1)).toBe(2 ** 31 - 1);
  });
});
