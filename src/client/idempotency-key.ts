import { describeValue } from "../internal/check-options.ts";
import { isStorable } from "../internal/storable-text.ts";
import { invalidParam } from "./invalid-params.ts";

const MAX_KEY_LENGTH = 255;

/** What is wrong with a key; `undefined` for a valid one. */
function findFault(key: unknown): string | undefined {
  if (typeof key !== "string") return describeValue(key);
  if (key === "" || key.length > MAX_KEY_LENGTH) return `${key.length} characters`;
  return isStorable(key) ? undefined : "one with a character that cannot be stored";
}

/** @throws {InvalidParamsError} for a key that is not a string of 1 to 255 characters. */
export function checkIdempotencyKey(endpoint: string, key: unknown): string {
  const fault = findFault(key);
  if (fault === undefined) return key as string;
  const expected = `expected a string of 1 to ${MAX_KEY_LENGTH} characters, got ${fault}`;
  throw invalidParam(endpoint, "idempotencyKey", expected);
}
