import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, vi } from "vitest";
import type { Job } from "../../../src/webhooks/inbox/inbox-types.ts";
import type { Lease, LeaseChanges, LeaseStore } from "../../../src/webhooks/inbox/lease-store.ts";
import { LeaseWorker } from "../../../src/webhooks/inbox/lease-worker.ts";

export const leaseOf = (token: string): Lease => ({
  key: `key of ${token}`,
  raw: Buffer.from(token),
  attempt: 1,
  token,
});

/** How a lease ended, as a test reads it. */
export interface EndedLease {
  readonly lease: Lease;
  readonly as: "done" | "failed" | "released";
}

export const ends = (as: "done" | "released", ...tokens: string[]) =>
  tokens.map((token) => ({ lease: leaseOf(token), as }));

/** The ends among the changes, in one list. */
export const endsIn = ({ complete, fail, release }: LeaseChanges): readonly EndedLease[] => [
  ...complete.map((lease) => ({ lease, as: "done" as const })),
  ...fail.map((failed) => ({ ...failed, as: "failed" as const })),
  ...release.map((lease) => ({ lease, as: "released" as const })),
];

/** A run that a test ends. */
interface Run {
  readonly job: Job;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** A worker on a store that has a list of due deliveries, and records its calls. */
export async function workOn(
  given: Partial<LeaseStore> & { due?: string[]; concurrency?: number } = {},
) {
  const { due = [], concurrency = 2, ...methods } = given;
  const turns: [ended: readonly EndedLease[], count: number][] = [];
  const renewals: (readonly string[])[] = [];
  const runs: Record<string, Run> = {};
  const onError = vi.fn();
  const store: LeaseStore = {
    commit: (changes) => {
      const count = changes.claim.room();
      turns.push([endsIn(changes), count]);
      return due.splice(0, count).map(leaseOf);
    },
    extend: (tokens) => {
      renewals.push(tokens);
      return { kept: tokens, lost: [] };
    },
    nextDueInMs: () => Number.POSITIVE_INFINITY,
    dueCount: () => due.length,
    maintain: () => ({ warnings: [], nextInMs: Number.POSITIVE_INFINITY }),
    ...methods,
  };
  const run = (job: Job) =>
    new Promise<void>((done, fail) => {
      runs[Buffer.from(job.raw).toString()] = { job, done, fail };
    });
  const pace = { leaseMs: 3_000, backoffMs: (attempt: number) => attempt * 7 };
  const worker = new LeaseWorker(store, { run, concurrency, onError }, pace);
  await endOfTurn();
  return {
    poll: () => worker.poll(),
    stop: (timeoutMs: number) => worker.stop(timeoutMs),
    due,
    turns,
    renewals,
    onError,
    run: (token: string) => runs[token] as Run,
    /** The polls since the last call of this. */
    polls: () => turns.splice(0),
  };
}

/** The end of this turn of the event loop and of the next one. */
export async function endOfTurn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Virtual timers; the turns of the event loop stay real. */
export function inVirtualTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}
