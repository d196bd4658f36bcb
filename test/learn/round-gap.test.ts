import { expect, test } from "vitest";
import { roundGap } from "../../src/learn/observe/delivery-observer.ts";

test.each([
  [0.0512, "0.05"],
  [1.04, "1"],
  [5.21, "5"],
  [10.3, "10"],
  [17.002, "17"],
  [40, "40"],
  [60.9, "60"],
  [301.2, "300"],
  [3_612, "3600"],
  [0, "0"],
  [23.4, "23"],
  [1_000_000, "1000000"],
])("a gap of %d s is written as %s", (gap, written) => {
  expect(roundGap(gap)).toBe(written);
});
