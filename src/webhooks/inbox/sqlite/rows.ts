import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errorText, isLastAttempt } from "../errors.ts";
import type { EndedLease, Lease } from "../lease-worker.ts";
import type { Pace } from "../pace.ts";
import {
  type InboxStats,
  type NewDelivery,
  type Receipt,
  receiptFor,
  type WorkerOptions,
} from "../types.ts";
import { type DeliveryValues, type Row, toHex, traceContextIn, valuesOf } from "./columns.ts";
import { prepareAll } from "./file.ts";
import { FreshLeases } from "./fresh-leases.ts";
import { leaseToken, partsOfToken } from "./lease-token.ts";
import { FORGET_BATCH, MAINTENANCE, STATEMENTS, statementsFor } from "./statements.ts";

const MAINTENANCE_INTERVAL_MS = 1_000;

/** Between two batches of what is forgotten, other work has its turn. */
const BACKLOG_DELAY_MS = 20;

/** Milliseconds since the machine started. */
const uptimeMs = () => Number(process.hrtime.bigint() / 1_000_000n);

type Prepared<Statements> = Record<keyof Statements, StatementSync>;

/** What is done to the rows of an inbox. Nothing here begins or ends a transaction. */
export class Rows {
  readonly #statements: Prepared<typeof STATEMENTS>;
  readonly #database: DatabaseSync;
  /** For the kinds that this process takes. */
  #ofKinds: Prepared<ReturnType<typeof statementsFor>>;
  #kinds: readonly string[] | undefined;
  #onKept: WorkerOptions["onKept"];
  readonly #maintenance: Prepared<typeof MAINTENANCE>;
  readonly #pace: Pace;
  readonly #retentionMs: number;
  #maintainedAt = 0;
  /** The last batch of what is to be forgotten was full. */
  #hasBacklog = false;

  constructor(database: DatabaseSync, pace: Pace, retentionMs: number) {
    this.#database = database;
    this.#statements = prepareAll(database, STATEMENTS);
    this.#ofKinds = prepareAll(database, statementsFor(undefined));
    this.#maintenance = prepareAll(database, MAINTENANCE);
    this.#pace = pace;
    this.#retentionMs = retentionMs;
  }

  /** Sets which kinds this process takes from here on. */
  takeKinds({ kinds, onKept }: WorkerOptions): void {
    this.#kinds = kinds;
    this.#onKept = onKept;
    this.#ofKinds = prepareAll(this.#database, statementsFor(kinds));
    for (const { event } of this.#ofKinds.kept.all()) onKept?.(event as string);
  }

  /** Leases for events of this transaction, at most so many. */
  freshLeases(limit: number): FreshLeases {
    return new FreshLeases(limit, uptimeMs() + this.#pace.leaseMs);
  }

  /**
   * Stores a delivery. The receipt is good once the transaction is on disk.
   *
   * @param fresh - Takes the event where it is new, and one that this process takes.
   */
  store(delivery: NewDelivery, fresh?: FreshLeases): Receipt {
    const values = valuesOf(delivery);
    if (this.#insert(delivery, values, fresh)) return receiptFor("accepted");
    const { same } = this.#statements.isDuplicate.get(values[0], values[1]) as { same: number };
    if (same === 1) return receiptFor("duplicate");
    if (this.#statements.isDecided.get(values[0], values[1]) !== undefined) {
      return receiptFor("duplicate");
    }
    this.#statements.insertConflict.run(...values);
    return receiptFor("conflict");
  }

  /** Whether the event is new. */
  #insert(delivery: NewDelivery, values: DeliveryValues, fresh: FreshLeases | undefined): boolean {
    const { insert, insertDead, insertLeased } = this.#statements;
    const { event, deadLetterReason } = delivery;
    if (deadLetterReason !== undefined) {
      return insertDead.run(...values, deadLetterReason).changes === 1;
    }
    const isKept = this.#kinds?.includes(event) === false;
    if (isKept || fresh?.hasRoom !== true) {
      const isNew = insert.run(...values).changes === 1;
      if (isNew && isKept) this.#onKept?.(event);
      return isNew;
    }
    const { secret, leaseUntil } = fresh;
    const { changes, lastInsertRowid } = insertLeased.run(...values, secret, leaseUntil);
    if (changes === 0) return false;
    fresh.add(delivery, Number(lastInsertRowid));
    return true;
  }

  /** Whether there is anything to take. */
  isDue(): boolean {
    const times = { now: Date.now(), uptime: uptimeMs(), leaseMs: this.#pace.leaseMs };
    return (this.#ofKinds.isDue.get(times) as { due: number }).due === 1;
  }

  take(count: number): Lease[] {
    const [now, uptime] = [Date.now(), uptimeMs()];
    this.#maintain(now, uptime);
    if (count === 0) return [];
    const secret = globalThis.crypto.randomUUID();
    const leaseUntil = uptime + this.#pace.leaseMs;
    const ids = this.#ofKinds.due.all(now, count) as { id: number }[];
    return ids.map(({ id }) => this.#lease(id, secret, leaseUntil));
  }

  #lease(id: number, secret: string, leaseUntil: number): Lease {
    const row = this.#statements.leasable.get(id) as Row;
    this.#statements.lease.run(id, secret, leaseUntil);
    return {
      key: toHex(row.key),
      raw: row.raw as Uint8Array,
      attempt: row.attempts as number,
      token: leaseToken(secret, id),
      receivedAt: row.received_at as number,
      traceContext: traceContextIn(row),
    };
  }

  #maintain(now: number, uptime: number): void {
    if (uptime - this.#maintainedAt < MAINTENANCE_INTERVAL_MS) return;
    this.#maintainedAt = uptime;
    const { leaseMs } = this.#pace;
    this.#maintenance.deadLetter.run({ uptime, leaseMs });
    this.#maintenance.reclaim.run({ uptime, leaseMs, now });
    this.#maintenance.correctDueTimes.run({ now });
    this.#maintenance.forgetConflicts.run({ now });
    const { changes } = this.#maintenance.forget.run({ now });
    this.#ofKinds.forgetKept.run({ now, retentionMs: this.#retentionMs });
    // There are more of them: the next turn goes on, so that it keeps up with what arrives.
    this.#hasBacklog = Number(changes) >= FORGET_BATCH;
    if (this.#hasBacklog) this.#maintainedAt = 0;
  }

  /** Whether it is time to forget something, which an inbox without other work does too. */
  hasToForget(): boolean {
    if (uptimeMs() - this.#maintainedAt < MAINTENANCE_INTERVAL_MS) return false;
    const values = { now: Date.now(), retentionMs: this.#retentionMs };
    return (this.#ofKinds.isOver.get(values) as { over: number }).over === 1;
  }

  /** Whether the lease still held. */
  renew(token: string): boolean {
    const leaseUntil = uptimeMs() + this.#pace.leaseMs;
    const { changes } = this.#statements.renew.run({ ...partsOfToken(token), leaseUntil });
    return changes === 1;
  }

  /** Whether the lease still held. */
  done({ token }: Lease): boolean {
    const { id, secret } = partsOfToken(token);
    const rememberUntil = Date.now() + this.#retentionMs;
    return this.#statements.done.run(id, secret, rememberUntil).changes === 1;
  }

  end(ended: EndedLease): void {
    const { token, attempt } = ended.lease;
    const row = partsOfToken(token);
    const now = Date.now();
    if (ended.as === "done") this.done(ended.lease);
    else if (ended.as === "released") this.#statements.released.run({ ...row, now });
    else {
      const state = isLastAttempt(attempt, ended.error) ? "dead" : "ready";
      const dueAt = now + this.#pace.backoffMs(attempt);
      this.#statements.failed.run({ ...row, state, dueAt, error: errorText(ended.error) });
    }
  }

  #firstDueInMs(): number {
    const { due } = this.#ofKinds.nextDue.get() as { due: number | null };
    return due === null ? Number.POSITIVE_INFINITY : due - Date.now();
  }

  /** Infinite where nothing falls due. */
  nextDueInMs(): number {
    const dueInMs = this.#firstDueInMs();
    return this.#hasBacklog ? Math.min(dueInMs, BACKLOG_DELAY_MS) : dueInMs;
  }

  stats(): InboxStats {
    const rows = this.#statements.byState.all() as { state: string; count: number }[];
    const countOf = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
    const count = (statement: StatementSync) => (statement.get() as { count: number }).count;
    const oldest = this.#statements.oldestWaiting.get() as { received: number | null };
    const dueInMs = this.#firstDueInMs();
    return {
      stored: rows.reduce((sum, row) => sum + row.count, 0),
      waiting: countOf("ready"),
      unhandled: count(this.#ofKinds.keptCount),
      running: countOf("leased"),
      dead: countOf("dead"),
      conflicts: count(this.#statements.conflictCount),
      oldestWaiting: oldest.received,
      lagMs: Math.max(0, Number.isFinite(dueInMs) ? -dueInMs : 0),
    };
  }
}
