import type { IdempotencyStore } from "malipo";
import { attemptOf } from "../../suites/idempotency-stage.ts";
import { type Age, PAST_LEASE, SAFELY_OVER } from "./state.ts";

/** What a store holds under one key, and what it answers, as plain values. */
type Stored = {
  readonly owner: string;
  readonly state: "in_flight" | "unknown" | "succeeded";
  readonly age: Age;
} | null;

/** One operation on a store: what the model says of it, and how it is done to a store. */
export interface Operation {
  readonly name: string;
  /** The owner of the attempt that it begins. */
  readonly begins?: string;
  /** What is stored after it, and the answer. */
  model(stored: Stored): { readonly stored: Stored; readonly answer: string };
  perform(store: IdempotencyStore, key: string): Promise<string>;
}

const LEASE_MS = 60_000;
const MARGIN_MS = 5_000;
/** How a lease is given that has this age at once. */
const LEASES: Readonly<Partial<Record<Age, number>>> = {
  0: LEASE_MS,
  [PAST_LEASE]: 0,
  [SAFELY_OVER]: -MARGIN_MS,
};

/** In flight past the lease is unknown. */
const stateOf = ({ state, age }: NonNullable<Stored>) =>
  state === "in_flight" && age >= PAST_LEASE ? "unknown" : state;

function describeStored(stored: NonNullable<Stored>): string {
  const state = stateOf(stored);
  if (state === "succeeded") return "succeeded: R";
  if (state === "in_flight") return `in_flight: ${stored.owner}`;
  const when = stored.age === SAFELY_OVER ? "now" : "later";
  return `unknown: ${stored.owner}, may be freed ${when}`;
}

const begin = (owner: string, age: Age): Operation => ({
  name: `begin by ${owner}${age === 0 ? "" : `, with a lease of age ${age}`}`,
  begins: owner,
  model: (stored) =>
    stored === null
      ? { stored: { owner, state: "in_flight", age }, answer: "begun" }
      : { stored, answer: describeStored(stored) },
  perform: async (store, key) => {
    const found = await store.begin(key, attemptOf(owner, { leaseMs: LEASES[age] ?? 0 }));
    if (found.state === "begun") return "begun";
    if (found.state === "succeeded") return `succeeded: ${found.result}`;
    if (found.state === "in_flight") return `in_flight: ${found.owner}`;
    return `unknown: ${found.owner}, may be freed ${found.notSentInMs === 0 ? "now" : "later"}`;
  },
});

const finish = (owner: string, state: "succeeded" | "unknown"): Operation => ({
  name: `finish by ${owner}: ${state}`,
  model: (stored) => ({
    stored: stored?.owner === owner ? { ...stored, state } : stored,
    answer: "",
  }),
  perform: async (store, key) => {
    await store.finish(key, owner, state === "succeeded" ? { state, result: "R" } : { state });
    return "";
  },
});

const forget = (owner: string): Operation => ({
  name: `forget by ${owner}`,
  model: (stored) => ({ stored: stored?.owner === owner ? null : stored, answer: "" }),
  perform: async (store, key) => {
    await store.forget(key, owner);
    return "";
  },
});

const resolve = (result: "R" | undefined, owner: string | undefined): Operation => ({
  name: `resolve ${result === undefined ? "as not sent" : "by a reference"}, of ${owner ?? "anyone"}`,
  model: (stored) => {
    if (stored === null) return { stored, answer: "free" };
    const state = stateOf(stored);
    if (state !== "unknown") return { stored, answer: state };
    if (owner !== undefined && owner !== stored.owner) return { stored, answer: "another" };
    if (result !== undefined) {
      return { stored: { ...stored, owner: "", state: "succeeded" }, answer: "resolved" };
    }
    return stored.age === SAFELY_OVER
      ? { stored: null, answer: "resolved" }
      : { stored, answer: "too_early" };
  },
  perform: async (store, key) => (await store.resolve(key, result, owner)).state,
});

/** Time until an age, for a store whose clock can be moved. */
export const timeUntil = (age: Age, advance: (ms: number) => void): Operation => ({
  name: `time passes until age ${age}`,
  model: (stored) => ({
    // A second lease's length is more than the margin.
    stored: stored && { ...stored, age: stored.age === 0 ? age : SAFELY_OVER },
    answer: "",
  }),
  perform: async () => {
    advance(age === SAFELY_OVER ? LEASE_MS + MARGIN_MS : LEASE_MS);
    return "";
  },
});

const OWNERS = ["a", "b"];

/** What may be done to a store in every state. */
const OPERATIONS: readonly Operation[] = [
  ...OWNERS.flatMap((owner) => [
    finish(owner, "succeeded"),
    finish(owner, "unknown"),
    forget(owner),
  ]),
  ...[...OWNERS, undefined].flatMap((owner) => [resolve("R", owner), resolve(undefined, owner)]),
];

const BEGINS: readonly Operation[] = OWNERS.map((owner) => begin(owner, 0));
const OLD_BEGINS: readonly Operation[] = OWNERS.flatMap((owner) => [
  begin(owner, PAST_LEASE),
  begin(owner, SAFELY_OVER),
]);

/** Asks for the key at the end of a path, to see what is stored. */
const PROBE = begin("probe", 0);

/**
 * Every path of operations of a depth, with a last look at what is stored. A path begins with
 * `begin`: before it there is nothing that an operation could change.
 *
 * @param time - The operations that move the clock of the store. If it cannot be moved, attempts
 * begin with leases that are over.
 */
export function* paths(depth: number, time: readonly Operation[]): Generator<Operation[]> {
  const firsts = time.length > 0 ? BEGINS : [...BEGINS, ...OLD_BEGINS];
  function* extend(path: Operation[], stored: Stored): Generator<Operation[]> {
    if (path.length === depth) {
      yield [...path, PROBE];
      return;
    }
    // No attempt begins twice: each has another owner.
    const begins = stored === null ? firsts : BEGINS.filter((one) => one.begins !== stored.owner);
    for (const next of [...begins, ...OPERATIONS, ...time]) {
      yield* extend([...path, next], next.model(stored).stored);
    }
  }
  // By symmetry, the first owner is `a`.
  for (const first of firsts) {
    if (first.begins !== "a") continue;
    yield* extend([first], first.model(null).stored);
  }
}

/** Does the operations of a path to a store, and returns the difference from the model. */
export async function difference(
  store: IdempotencyStore,
  key: string,
  path: readonly Operation[],
): Promise<string | undefined> {
  let stored: Stored = null;
  for (const [i, operation] of path.entries()) {
    const expected = operation.model(stored);
    const answer = await operation.perform(store, key);
    if (answer !== expected.answer) {
      const way = path.slice(0, i + 1).map(({ name }) => name);
      return `${way.join("; ")}: ${answer} instead of ${expected.answer}`;
    }
    stored = expected.stored;
  }
  return undefined;
}
