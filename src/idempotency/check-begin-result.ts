import type { BeginResult } from "./store.ts";

type Fields = Record<string, unknown>;

const isBoolean = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown) => typeof value === "string";
const isTime = (value: unknown) => Number.isFinite(value);

const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  sameParameters: isBoolean,
  sameService: isBoolean,
  owner: isText,
  ageMs: isTime,
  leaseLeftMs: isTime,
  result: isText,
  notSentInMs: isTime,
};

const COMPARISON = ["sameParameters", "sameService"];

/** The fields that each state must have. */
const FIELDS: Readonly<Record<BeginResult["state"], readonly string[]>> = {
  begun: [],
  in_flight: [...COMPARISON, "owner", "ageMs", "leaseLeftMs"],
  succeeded: [...COMPARISON, "result"],
  unknown: [...COMPARISON, "owner", "notSentInMs"],
};

const NAMES = ["state", "service", ...Object.keys(CHECKS)];

/**
 * What a store's `begin` resolved with, read once. A store that a user wrote may resolve with
 * anything, and nothing may be sent then.
 *
 * @throws {TypeError} for anything but a `BeginResult`.
 */
export function checkBeginResult(result: unknown): BeginResult {
  const object: Fields = Object(result);
  const given: Fields = Object.fromEntries(NAMES.map((name) => [name, object[name]]));
  const fields = Object.entries(FIELDS).find(([state]) => state === given.state)?.[1];
  const isValid = fields?.every((name) => CHECKS[name]?.(given[name]));
  if (isValid) return given as unknown as BeginResult;
  throw new TypeError(
    "begin() of the idempotency store must resolve with a BeginResult: a state (begun, in_flight, succeeded or unknown) and its fields.",
  );
}
