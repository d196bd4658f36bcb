import { InvalidParamsError } from "../../errors/configuration.ts";

const LONGEST = 255;

// Half a character, or a NUL: no database keeps these as they are, so that two keys could meet.
const isStorable = (key: string) => !/\p{Surrogate}/u.test(key) && !key.includes("\0");

function faultOf(key: unknown): string | undefined {
  if (typeof key !== "string") return key === null ? "null" : typeof key;
  if (key === "" || key.length > LONGEST) return `${key.length} characters`;
  return isStorable(key) ? undefined : "one with a character that cannot be stored";
}

/** @throws {InvalidParamsError} where it is no string of 1 to 255 characters. */
export function checkIdempotencyKey(endpoint: string, key: unknown): string {
  const given = faultOf(key);
  if (given === undefined) return key as string;
  const message = `expected a string of 1 to ${LONGEST} characters, got ${given}`;
  throw new InvalidParamsError(`${endpoint}: idempotencyKey: ${message}. Nothing was sent.`, [
    { path: ["idempotencyKey"], message },
  ]);
}
