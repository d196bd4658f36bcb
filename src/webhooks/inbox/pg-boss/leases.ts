import type { Db } from "pg-boss";
import { withTimeout } from "../../../internal/timeout.ts";
import { DeletedError } from "../errors.ts";
import type { Transaction } from "../inbox-types.ts";
import { includesKind, type Kinds, OTHER_QUEUE, queueOf, queuesWith } from "../kinds.ts";
import {
  type Claim,
  type Lease,
  type LeaseChanges,
  type LeaseStore,
  POLL_INTERVAL_MS,
} from "../lease-store.ts";
import { MAX_RETRY_WAIT_MS } from "../pace.ts";
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
import type { Store } from "./inbox-store.ts";
import { engineQueue, heartbeatMsOf } from "./queues.ts";

const MAINTENANCE_MS = 30_000;

/** How long it may take to find some jobs among all of a queue. */
const FREE_TIMEOUT_MS = 60_000;

/** Time until the other processes learn on which events this one works, for `stats()`. */
const REPORT_DELAY_MS = 250;

/** A claim whose number of jobs is known. */
type FixedClaim = Omit<Claim, "room"> & { readonly count: number };

/** The last heartbeat of a job, and when this process saw it first by a clock that cannot be set. */
interface Heartbeat {
  readonly at: number;
  readonly seenAt: number;
}

/** The jobs of pg-boss, as one worker leases them. */
export class PgBossLeases implements LeaseStore {
  readonly maxAhead = 100;
  readonly #store: Store;
  readonly #worker = crypto.randomUUID();
  /** By token. */
  readonly #held = new Map<string, HeldJob>();
  /** The queues that may have a job that is due. Those that came first are asked first. */
  readonly #due = new Set<string>();
  /** While the clock of the server is behind: of each attempt that any process has. */
  #heartbeats: ReadonlyMap<string, Heartbeat> = new Map();
  #polledAt = Number.NEGATIVE_INFINITY;
  #reporting: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  noteDue(): void {
    this.#polledAt = Number.NEGATIVE_INFINITY;
  }

  nextDueInMs(): number {
    return this.#due.size > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  async commit({ complete, fail, release, claim }: LeaseChanges): Promise<Lease[]> {
    // Each lease of this store is one of its held jobs.
    const ended: readonly EndedJob[] = [
      ...complete.map((lease) => ({ lease: lease as HeldJob, as: "done" as const })),
      ...fail.map((one) => ({ ...one, lease: one.lease as HeldJob, as: "failed" as const })),
      ...release.map((lease) => ({ lease: lease as HeldJob, as: "released" as const })),
    ];
    const written = ended.filter(
      ({ as, lease }) => as !== "released" || lease.commit === undefined,
    );
    const leases = await this.#write(written, { ...claim, count: claim.room() });
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
  async #write(ended: readonly EndedJob[], claim: FixedClaim): Promise<HeldJob[]> {
    const { count, kinds } = claim;
    // A little less, since a timer may come early.
    if (performance.now() - this.#polledAt > POLL_INTERVAL_MS * 0.8) this.#pollAll(kinds);
    if (ended.length === 0 && (count === 0 || this.#due.size === 0)) return [];
    try {
      return await this.#store.transaction(async (db) => {
        if (ended.length > 0) await writeEnds(this.#store, db, ended);
        return this.#fetch(db, claim);
      });
    } catch (error) {
      this.#pollAll(kinds);
      if (!(error instanceof NotHeldError)) throw error;
      if (ended.length > 1)
        for (const one of ended) await this.#write([one], { ...claim, count: 0 });
      return [];
    }
  }

  #pollAll(kinds: Kinds): void {
    this.#polledAt = performance.now();
    for (const queue of queuesWith(kinds)) this.#due.add(queue);
  }

  async #fetch(db: Db, { count, kinds, busy }: FixedClaim): Promise<HeldJob[]> {
    const ignoreGroups = [...busy];
    const jobs: HeldJob[] = [];
    for (const queue of [...this.#due]) {
      const batchSize = count - jobs.length;
      if (batchSize === 0) break;
      this.#due.delete(queue);
      if (!queuesWith(kinds).includes(queue)) continue;
      const options = { batchSize, ignoreGroups };
      const { held, hasMore } = await claimJobs(this.#store, db, queue, kinds, options);
      jobs.push(...held);
      // Jobs that are left because of their merchant may be due, too.
      if (hasMore || busy.length > 0) this.#due.add(queue);
    }
    return jobs;
  }

  /** Shows pg-boss that this process is alive, and learns which jobs others have. */
  async extend(tokens: readonly string[]): Promise<string[]> {
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

  async dueCount(kinds: Kinds): Promise<number> {
    const counts = await this.#store.transaction((db) => this.#store.ledger.counts(db));
    const due = counts.filter(({ kind }) => includesKind(kinds, String(kind)));
    return due.reduce((sum, one) => sum + Number(one.due), 0);
  }

  async maintain(kinds: Kinds) {
    const { ledger, settings } = this.#store;
    const inTransaction: Store["transaction"] = (run) => this.#store.transaction(run);
    const late = await inTransaction((db) => ledger.lateQueues(db, MAX_RETRY_WAIT_MS));
    for (const queue of late) {
      await this.#store.transaction((db) => freeLateJobs(this.#store, db, queue), FREE_TIMEOUT_MS);
      this.#due.add(queue);
    }
    await this.#failDead(kinds);
    await this.#store.matchQueues();
    while (await inTransaction((db) => ledger.forget(db)));
    const warnings: Error[] = this.#store.durabilityProblems.splice(0);
    const deleted = await inTransaction((db) => deleteUnprocessed(this.#store, db, kinds));
    if (deleted > 0) warnings.push(new DeletedError(deleted));
    return { warnings, nextInMs: settings.tuning.maintenanceMs ?? MAINTENANCE_MS };
  }

  /**
   * In place of pg-boss, which looks for dead processes by the clock of the server: after that was set back,
   * it does not look before its last look, and a dead process seems to live.
   */
  async #failDead(kinds: Kinds): Promise<void> {
    const { boss, ledger, settings } = this.#store;
    const before = this.#heartbeats;
    const heartbeats = new Map<string, Heartbeat>();
    this.#heartbeats = heartbeats;
    if (!(await this.#store.transaction((db) => ledger.isClockBehind(db)))) return;
    const now = performance.now();
    const failIn = async (db: Db, queue: string) => {
      const name = engineQueue(settings.inbox, queue);
      for (const { id, retryCount, state, startedOn, heartbeatOn } of await boss.findJobs(name, {
        db,
      })) {
        if (state !== "active") continue;
        const attempt = `${id}/${retryCount}`;
        const at = (heartbeatOn ?? startedOn).getTime();
        const known = before.get(attempt);
        const { seenAt } = known?.at === at ? known : { seenAt: now };
        heartbeats.set(attempt, { at, seenAt });
        const isAlive = now - seenAt <= heartbeatMsOf(settings.tuning);
        if (!isAlive) await boss.fail(name, { id, retryCount }, null, { db });
      }
    };
    for (const queue of queuesWith(kinds)) {
      await this.#store.transaction((db) => failIn(db, queue), FREE_TIMEOUT_MS);
    }
  }

  #reportSoon(): void {
    this.#reporting ??= setTimeout(() => void this.#report(), REPORT_DELAY_MS);
  }

  async #report(): Promise<void> {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    const keys = [...this.#held.values()].map(({ key }) => key);
    const report = (db: Db) => this.#store.ledger.setRunning(db, this.#worker, keys);
    // Whatever fails here fails for a commit, too, which reports it.
    await this.#store.transaction(report).catch(() => {});
  }

  async stop(): Promise<void> {
    await this.#report();
    clearTimeout(this.#reporting);
  }
}

/** Has the jobs of a queue processed now that wait longer than any can: the clock of the server was set back. */
async function freeLateJobs({ boss, ledger, settings }: Store, db: Db, queue: string) {
  const now = await ledger.freeLate(db, queue, MAX_RETRY_WAIT_MS);
  const name = engineQueue(settings.inbox, queue);
  const jobs = await boss.findJobs(name, { queued: true, db });
  for (const { id, startAfter } of jobs) {
    if (startAfter.getTime() <= now + MAX_RETRY_WAIT_MS) continue;
    await boss.update(name, undefined, { id, startAfter: new Date(now), db });
  }
}

/**
 * Deletes events that no process worked on for the whole retention, with their jobs. Resolves with how
 * many there were.
 */
async function deleteUnprocessed(store: Store, db: Db, kinds: Kinds): Promise<number> {
  const expired = await store.ledger.unprocessed(db, kinds);
  let count = 0;
  for (const queue of new Set(expired.map(({ event }) => queueOf(event)))) {
    const keys = new Set(expired.map(({ key }) => key));
    // Those that other processes have handed back wait.
    const options = { batchSize: keys.size, ignoreStartAfter: queue === OTHER_QUEUE };
    const { held } = await claimJobs(store, db, queue, undefined, options);
    // pg-boss has no way to hand back a job: others get a new one.
    const ended = held.map((lease): EndedJob => {
      return { lease, as: keys.has(lease.key) ? "forgotten" : "released" };
    });
    await writeEnds(store, db, ended);
    count += ended.filter(({ as }) => as === "forgotten").length;
  }
  return count;
}
