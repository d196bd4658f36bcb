import type { Db } from "pg-boss";
import { withTimeout } from "../../../internal/timeout.ts";
import { DeletedError } from "../errors.ts";
import { type EndedLease, type Lease, type LeaseStore, POLL_INTERVAL_MS } from "../lease-store.ts";
import { MAX_RETRY_WAIT_MS } from "../pace.ts";
import { queueOf, type Transaction } from "../types.ts";
import { claimJobs } from "./claim.ts";
import { noReply } from "./database.ts";
import {
  attemptsOf,
  type EndedJob,
  expectAll,
  type HeldJob,
  jobTransaction,
  NotHeldError,
  writeEnds,
} from "./ends.ts";
import type { Store } from "./store.ts";

const MAINTENANCE_MS = 30_000;

/** Time until the other processes learn on which events this one works, for `stats()`. */
const REPORT_DELAY_MS = 250;

/** The jobs of pg-boss, as one worker leases them. */
export class PgBossLeases implements LeaseStore {
  readonly maxAhead = 100;
  readonly #store: Store;
  readonly #worker = crypto.randomUUID();
  /** By token. */
  readonly #held = new Map<string, HeldJob>();
  /** The queues that may have a job that is due. Those that came first are asked first. */
  readonly #due = new Set<string>();
  /** The queues whose jobs are fetched before their time. */
  #late: readonly string[] = [];
  #polledAt = Number.NEGATIVE_INFINITY;
  #reporting: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  noteDue(queue: string): void {
    this.#due.add(queue);
  }

  nextDueInMs(): number {
    return this.#due.size > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  async turn(
    given: readonly EndedLease[],
    room: () => number,
    queues: readonly string[],
  ): Promise<Lease[]> {
    const ended = given as readonly EndedJob[];
    const written = ended.filter(
      ({ as, lease }) => as !== "released" || lease.commit === undefined,
    );
    const leases = await this.#write(written, room(), queues);
    for (const { lease, as } of ended) {
      this.#held.delete(lease.token);
      // A retry may be due at once.
      if (as !== "done") this.#due.add(lease.event);
    }
    for (const job of leases) this.#held.set(job.token, job);
    if (ended.length > 0 || leases.length > 0) this.#reportSoon();
    // One whose transaction is about to commit is not handed back: another process could repeat it.
    await Promise.allSettled(ended.map(({ as, lease }) => as === "released" && lease.commit));
    return leases;
  }

  /** In one transaction. If a job is not held any more, each end in its own. */
  async #write(
    ended: readonly EndedJob[],
    count: number,
    queues: readonly string[],
  ): Promise<HeldJob[]> {
    // A little less, since a timer may come early.
    if (performance.now() - this.#polledAt > POLL_INTERVAL_MS * 0.8) this.#pollAll(queues);
    if (ended.length === 0 && (count === 0 || this.#due.size === 0)) return [];
    try {
      return await this.#store.transaction(async (db) => {
        if (ended.length > 0) await writeEnds(this.#store, db, ended);
        return this.#fetch(db, count, queues);
      });
    } catch (error) {
      this.#pollAll(queues);
      if (!(error instanceof NotHeldError)) throw error;
      if (ended.length > 1) for (const one of ended) await this.#write([one], 0, queues);
      return [];
    }
  }

  #pollAll(queues: readonly string[]): void {
    this.#polledAt = performance.now();
    for (const queue of queues) this.#due.add(queue);
  }

  async #fetch(db: Db, count: number, queues: readonly string[]): Promise<HeldJob[]> {
    const jobs: HeldJob[] = [];
    for (const queue of [...this.#due]) {
      const batchSize = count - jobs.length;
      if (batchSize === 0) break;
      this.#due.delete(queue);
      if (!queues.includes(queue)) continue;
      const ignoreStartAfter = this.#late.includes(queue);
      jobs.push(...(await claimJobs(this.#store, db, queue, { batchSize, ignoreStartAfter })));
      if (jobs.length === count) this.#due.add(queue);
      this.#late = this.#late.filter((one) => one !== queue);
    }
    return jobs;
  }

  /** Shows pg-boss that this process is alive, and learns which jobs others have. */
  async renew(tokens: readonly string[]): Promise<string[]> {
    this.#reportSoon();
    const held = tokens.flatMap((token) => this.#held.get(token) ?? []);
    const lost: HeldJob[] = [];
    for (const queue of new Set(held.map((job) => job.queue))) {
      lost.push(...(await this.#touch(held.filter((job) => job.queue === queue))));
    }
    return lost.filter(({ commit }) => commit === undefined).map(({ token }) => token);
  }

  /** Of one queue. Resolves with those that others have. */
  async #touch(given: readonly HeldJob[]): Promise<HeldJob[]> {
    // A transaction at its end has locked its job, and would keep the others waiting.
    const jobs = given.filter(({ commit }) => commit === undefined);
    const [first] = jobs;
    if (first === undefined) return [];
    try {
      const touched = this.#store.boss.touch(first.queue, attemptsOf(jobs));
      expectAll(jobs, await withTimeout(touched, this.#store.timeoutMs, noReply));
      return [];
    } catch (error) {
      if (!(error instanceof NotHeldError)) throw error;
      if (jobs.length === 1) return [first];
      const lost: HeldJob[] = [];
      for (const job of jobs) lost.push(...(await this.#touch([job])));
      return lost;
    }
  }

  transaction(lease: Lease, isHeld: () => boolean): Transaction {
    const run = jobTransaction(this.#store, lease as HeldJob, isHeld);
    return async (write) => {
      const result = await run(write);
      this.#held.delete(lease.token);
      this.#reportSoon();
      return result;
    };
  }

  async dueCount(queues: readonly string[]): Promise<number> {
    const counts = await this.#store.transaction((db) => this.#store.ledger.counts(db));
    const due = counts.filter(({ queue }) => queues.includes(String(queue)));
    return due.reduce((sum, one) => sum + Number(one.due), 0);
  }

  async maintain(queues: readonly string[]) {
    const { ledger, settings } = this.#store;
    const inTransaction: Store["transaction"] = (run) => this.#store.transaction(run);
    this.#late = await inTransaction((db) => ledger.lateQueues(db, MAX_RETRY_WAIT_MS));
    for (const queue of this.#late) this.#due.add(queue);
    await this.#store.matchQueues();
    while (await inTransaction((db) => ledger.forget(db)));
    const warnings: Error[] = this.#store.durabilityProblems.splice(0);
    const deleted = await inTransaction((db) => deleteUnprocessed(this.#store, db, queues));
    if (deleted > 0) warnings.push(new DeletedError(deleted));
    return { warnings, nextInMs: settings.tuning.maintenanceMs ?? MAINTENANCE_MS };
  }

  #reportSoon(): void {
    this.#reporting ??= setTimeout(() => void this.#report(), REPORT_DELAY_MS);
  }

  async #report(): Promise<void> {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    const keys = [...this.#held.values()].map(({ key }) => key);
    const report = (db: Db) => this.#store.ledger.setRunning(db, this.#worker, keys);
    // Whatever fails here fails for a turn, too, which reports it.
    await this.#store.transaction(report).catch(() => {});
  }

  async stop(): Promise<void> {
    await this.#report();
    clearTimeout(this.#reporting);
  }
}

/**
 * Deletes events that no process worked on for the whole retention, with their jobs. Resolves with how
 * many there were.
 */
async function deleteUnprocessed(store: Store, db: Db, queues: readonly string[]): Promise<number> {
  const expired = await store.ledger.unprocessed(db, queues);
  let count = 0;
  for (const queue of new Set(expired.map(({ event }) => queueOf(event)))) {
    const keys = new Set(expired.map(({ key }) => key));
    const fetched = await claimJobs(store, db, queue, { batchSize: keys.size });
    // pg-boss has no way to hand back a job: others get a new one.
    const ended = fetched.map((lease): EndedJob => {
      return { lease, as: keys.has(lease.key) ? "forgotten" : "released" };
    });
    await writeEnds(store, db, ended);
    count += ended.filter(({ as }) => as === "forgotten").length;
  }
  return count;
}
