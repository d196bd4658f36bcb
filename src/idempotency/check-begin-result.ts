import type { BeginResult } from "./store.ts";

type Fields = Readonly<Record<string, unknown>>;

const COMPARISON = { sameParameters: "boolean", sameService: "boolean" };

/** The fields that each state must have, and their types. */
const FIELDS: Readonly<Record<BeginResult["state"], Readonly<Record<string, string>>>> = {
  begun: {},
  in_flight: { ...COMPARISON, owner: "string", ageMs: "number", leaseLeftMs: "number" },
  succeeded: { ...COMPARISON, result: "string" },
  unknown: { ...COMPARISON, owner: "string", notSentInMs: "number" },
};

const isOfType = (value: unknown, type: string | undefined) =>
  type === "number" ? Number.isFinite(value) : typeof value === type;

/**
 * What a store's `begin` resolved with, read once. A store that a user wrote may resolve with
 * anything, and nothing may be sent then.
 *
 * @throws {TypeError} for anything but a `BeginResult`.
 */
export function checkBeginResult(result: unknown): BeginResult {
  const object: Fields = Object(result);
  const { state, service } = object;
  const types = Object.entries(FIELDS).find(([name]) => name === state)?.[1];
  const given = Object.fromEntries(Object.keys({ ...types }).map((name) => [name, object[name]]));
  const isValid = types && Object.keys(types).every((name) => isOfType(given[name], types[name]));
  if (isValid) return { state, service, ...given } as unknown as BeginResult;
  throw new TypeError(
    "begin() of the idempotency store must resolve with a BeginResult: a state (begun, in_flight, succeeded or unknown) and its fields.",
  );
}
