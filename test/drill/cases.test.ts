import { describe, expect, test } from "vitest";
import {
  allCases,
  type DrillCase,
  groupIntoWaves,
  hasKind,
  processFault,
  WAVE_SIZE_ALONE,
} from "../../src/drill/cases.ts";

const numbersOf = (cases: readonly DrillCase[]) => cases.map(({ number }) => number);

describe.each([12, WAVE_SIZE_ALONE])("waves of %i cases", (size) => {
  const waves = groupIntoWaves(allCases(), size);

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

test("a shop that runs alone is drilled in fewer waves, since their waits add up", () => {
  const count = (size?: number) => groupIntoWaves(allCases(), size).length;
  expect(count(WAVE_SIZE_ALONE)).toBeLessThan(count());
});
