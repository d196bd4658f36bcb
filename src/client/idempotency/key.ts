import { InvalidParamsError } from "../../errors/configuration.ts";

const LONGEST = 255;

/** @throws {InvalidParamsError} where it is no string of 1 to 255 characters. */
export function checkIdempotencyKey(endpoint: string, key: unknown): string {
  if (typeof key === "string" && key !== "" && key.length <= LONGEST) return key;
  const given = typeof key === "string" ? `${key.length} characters` : `a ${typeof key}`;
  const message = `expected a string of 1 to ${LONGEST} characters, got ${given}`;
  throw new InvalidParamsError(`${endpoint}: idempotencyKey: ${message}. Nothing was sent.`, [
    { path: ["idempotencyKey"], message },
  ]);
}
