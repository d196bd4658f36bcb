import { checkMilliseconds, checkWholeNumber } from "../internal/check-options.ts";

/** @throws {ConfigurationError} for a value that is not a number of milliseconds above 0. */
export function timeLimit(option: string, given: number | undefined, fallback: number): number {
  return given === undefined ? fallback : checkMilliseconds(option, given);
}

/** @throws {ConfigurationError} for a value that is not a whole number of at least `min`. */
export function countLimit(
  option: string,
  given: number | undefined,
  fallback: number,
  min: number,
): number {
  return given === undefined ? fallback : checkWholeNumber(option, given, min);
}

/** @throws {ConfigurationError} for a value that is not a number of milliseconds from 0. */
export function waitLimit(given: number | undefined, fallback: number): number {
  return given === undefined || given === 0
    ? (given ?? fallback)
    : checkMilliseconds("idempotencyWaitMs", given);
}
