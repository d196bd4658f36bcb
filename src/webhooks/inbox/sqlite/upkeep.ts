import type { DatabaseSync, StatementSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import type { FileClock } from "../../../internal/sqlite/meta.ts";
import { prepareAll } from "../../../internal/sqlite/transaction.ts";
import { forgottenUnprocessed } from "../errors.ts";
import type { Maintenance } from "../lease-worker.ts";
import { MAX_RETRY_WAIT_MS, type Pace } from "../pace.ts";
import { type Horizon, QUEUES } from "../types.ts";
import type { Rows } from "./rows.ts";
import { DIALECT } from "./schema.ts";
import { FORGET, FORGET_BATCH, MAINTENANCE } from "./statements.ts";

export const MAINTENANCE_INTERVAL_MS = 1_000;

/** Between two batches of what is forgotten, other work has its turn. */
const BACKLOG_INTERVAL_MS = 20;

const { meta } = DIALECT.tables;

const HORIZON = {
  readForgotten: `SELECT value FROM ${meta} WHERE name = 'forgotten_until'`,
  writeForgotten: `INSERT OR REPLACE INTO ${meta} VALUES ('forgotten_until', ?)`,
} as const;

const STATEMENTS = { ...MAINTENANCE, ...HORIZON } as const;

/** Forgets what is over, and says what is remembered. */
export class Upkeep {
  readonly #statements: Record<keyof typeof STATEMENTS, StatementSync>;
  readonly #forget: Record<keyof typeof FORGET, StatementSync>;
  readonly #rows: Rows;
  readonly #clock: FileClock;
  readonly #retentionMs: number;
  readonly #maxWaitMs: number;

  constructor(
    database: DatabaseSync,
    rows: Rows,
    clock: FileClock,
    { leaseMs }: Pace,
    retentionMs: number,
  ) {
    this.#rows = rows;
    this.#statements = prepareAll(database, STATEMENTS);
    this.#forget = prepareAll(database, FORGET);
    this.#clock = clock;
    this.#retentionMs = retentionMs;
    this.#maxWaitMs = Math.max(MAX_RETRY_WAIT_MS, leaseMs);
  }

  /** @param queues - Those that this process works on. */
  isDue(queues: readonly string[]): boolean {
    const { isOver, isMisdated } = this.#statements;
    return (
      this.#clock.isDue() ||
      isOver.get(this.#clock.now())?.over === 1 ||
      isMisdated.get(uptimeMs() + this.#maxWaitMs)?.misdated === 1 ||
      this.#unprocessedQueues(queues).length > 0
    );
  }

  /** In a transaction of the caller. */
  run(queues: readonly string[]): Maintenance {
    const warning = this.#clock.advance();
    const now = uptimeMs();
    this.#statements.correct.run(now + this.#maxWaitMs, now);
    const forgotten = this.#forgetOver();
    const unprocessed = this.#deleteUnprocessed(queues);
    const warnings = unprocessed === 0 ? [] : [forgottenUnprocessed(unprocessed)];
    const hasBacklog = Math.max(forgotten, unprocessed) >= FORGET_BATCH;
    return {
      warnings: warning === undefined ? warnings : [new Error(warning), ...warnings],
      nextInMs: hasBacklog ? BACKLOG_INTERVAL_MS : MAINTENANCE_INTERVAL_MS,
    };
  }

  #forgetOver(): number {
    const now = this.#clock.now();
    const rows = [...this.#forget.conflicts.all(now), ...this.#forget.events.all(now)];
    const until = rows.reduce(
      (latest, { signed_at: signedAt }) => Math.max(latest, Number(signedAt)),
      this.#forgottenUntil(),
    );
    if (rows.length > 0) this.#statements.writeForgotten.run(String(until));
    return rows.length;
  }

  /** The latest signed time of all events that were forgotten. */
  #forgottenUntil(): number {
    const row = this.#statements.readForgotten.get();
    return row === undefined ? Number.NEGATIVE_INFINITY : Number(row.value);
  }

  /** Those that no process took for the whole retention. Returns how many of them it deleted. */
  #deleteUnprocessed(queues: readonly string[]): number {
    const before = uptimeMs() - this.#retentionMs;
    const { deleteUnprocessed } = this.#statements;
    const deleted = this.#unprocessedQueues(queues).map(
      (queue) => deleteUnprocessed.run(queue, before).changes,
    );
    return deleted.reduce<number>((sum, changes) => sum + Number(changes), 0);
  }

  #unprocessedQueues(queues: readonly string[]): string[] {
    const others = QUEUES.filter((queue) => !queues.includes(queue));
    return others.filter((queue) => this.#rows.nextDueInMs([queue]) <= -this.#retentionMs);
  }

  /**
   * Usually what the retention says. An event that was signed after the last forgotten one is
   * remembered, whatever the retention is or was, and whatever the clock of the machine did.
   */
  horizon(): Horizon {
    const ledger = this.#clock.now();
    const now = Math.min(ledger, Date.now());
    const remembersSince = Math.max(now - this.#retentionMs, this.#forgottenUntil());
    return { now, remembersSince };
  }
}
