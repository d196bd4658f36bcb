import { describe, expect, test } from "vitest";
import { allCases, type DrillCase, hasKind, processFault } from "../../src/drill/cases.ts";
import { groupIntoWaves } from "../../src/drill/group-cases.ts";

const numbersOf = (cases: readonly DrillCase[]) => cases.map(({ number }) => number);

describe("the waves of a drill", () => {
  const waves = groupIntoWaves(allCases());

  test("hold each case once", () => {
    const held = numbersOf(waves.flat()).toSorted((one, other) => one - other);
    expect(held).toEqual(numbersOf(allCases()));
  });

  test("kill or pause the shop once at most, for all of their cases", () => {
    const faultsOf = (wave: readonly DrillCase[]) =>
      new Set(
        wave.map((one) => {
          const { kind, subject } = processFault(one) ?? {};
          return `${kind} ${subject}`;
        }),
      );
    expect(waves.filter((wave) => faultsOf(wave).size > 1)).toEqual([]);
  });

  test("have one wait for the service that is away", () => {
    const away = waves.filter((wave) => wave.some((one) => hasKind(one, "away")));
    expect(away.map((wave) => wave.every((one) => hasKind(one, "away")))).toEqual([true]);
  });
});
