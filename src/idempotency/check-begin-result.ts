import type { BeginResult } from "./store.ts";

type Fields = Record<string, unknown>;

const isBoolean = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown) => typeof value === "string";
const isTime = (value: unknown) => Number.isFinite(value);

const NAMES = [
  "state",
  "sameParameters",
  "sameService",
  "service",
  "owner",
  "ageMs",
  "leaseLeftMs",
  "result",
  "notSentInMs",
];

/** The fields of each state. */
const FIELDS: Readonly<
  Record<BeginResult["state"], Readonly<Record<string, (value: unknown) => boolean>>>
> = {
  begun: {},
  in_flight: {
    sameParameters: isBoolean,
    sameService: isBoolean,
    owner: isText,
    ageMs: isTime,
    leaseLeftMs: isTime,
  },
  succeeded: { sameParameters: isBoolean, sameService: isBoolean, result: isText },
  unknown: {
    sameParameters: isBoolean,
    sameService: isBoolean,
    owner: isText,
    notSentInMs: isTime,
  },
};

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
  const isValid =
    fields !== undefined && Object.entries(fields).every(([name, isField]) => isField(given[name]));
  if (isValid) return given as unknown as BeginResult;
  throw new TypeError(
    "begin() of the idempotency store must resolve with a BeginResult: a state (begun, in_flight, succeeded or unknown) and its fields.",
  );
}
