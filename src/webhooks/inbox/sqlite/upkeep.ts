import type { DatabaseSync, StatementSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import type { FileClock } from "../../../storage/sqlite/meta.ts";
import { prepareAll } from "../../../storage/sqlite/transaction.ts";
import { DeletedError } from "../errors.ts";
import type { Horizon } from "../inbox-types.ts";
import { type Kinds, QUEUES, queuesOnlyWith } from "../kinds.ts";
import type { Maintenance } from "../lease-store.ts";
import { MAX_RETRY_WAIT_MS, type Pace } from "../pace.ts";
import { DIALECT } from "./tables.ts";

const MAINTENANCE_INTERVAL_MS = 1_000;

/** How many rows are forgotten at once. */
const FORGET_BATCH = 500;

/** Between two batches of what is forgotten, other work has its turn. */
const BACKLOG_INTERVAL_MS = 20;

const { events, conflicts, meta } = DIALECT.tables;

const forget = (table: string, state: string) => `
  DELETE FROM ${table} WHERE rowid IN (
    SELECT rowid FROM ${table} WHERE forget_at <= ?1 AND state = '${state}'
    ORDER BY forget_at LIMIT ${FORGET_BATCH}
  ) RETURNING signed_at
`;

/**
 * No event is due later than this: such a row was written before the machine started again. The queues
 * are named, so that the index is used.
 */
const MISDATED = `
  state = 'pending' AND queue IN (${QUEUES.map((queue) => `'${queue}'`).join(", ")}) AND due_at > ?1
`;

/**
 * No process has taken it for the whole retention. Two lists in JSON: the queues with such events, and the
 * kinds that this process takes.
 */
const UNPROCESSED = `
  state = 'pending' AND queue IN (SELECT value FROM json_each(?1)) AND due_at <= ?3
  AND kind NOT IN (SELECT value FROM json_each(?2))
`;

const STATEMENTS = {
  forgetConflicts: forget(conflicts, "decided"),
  forgetEvents: forget(events, "done"),
  correct: `UPDATE ${events} SET due_at = ?2 WHERE ${MISDATED}`,
  deleteUnprocessed: `
    DELETE FROM ${events} WHERE id IN (
      SELECT id FROM ${events} WHERE ${UNPROCESSED} LIMIT ${FORGET_BATCH}
    )
  `,
  readForgotten: `SELECT value FROM ${meta} WHERE name = 'forgotten_until'`,
  writeForgotten: `INSERT OR REPLACE INTO ${meta} VALUES ('forgotten_until', ?)`,
} as const;

/** Forgets what is over, and tells what is remembered. */
export class Upkeep {
  readonly #statements: Record<keyof typeof STATEMENTS, StatementSync>;
  readonly #clock: FileClock;
  readonly #retentionMs: number;
  readonly #maxWaitMs: number;

  constructor(database: DatabaseSync, clock: FileClock, { leaseMs }: Pace, retentionMs: number) {
    this.#statements = prepareAll(database, STATEMENTS);
    this.#clock = clock;
    this.#retentionMs = retentionMs;
    this.#maxWaitMs = Math.max(MAX_RETRY_WAIT_MS, leaseMs);
  }

  /**
   * In a transaction of the caller. If nothing is over, it writes nothing.
   *
   * @param kinds - Those that this process works on.
   */
  run(kinds: Kinds): Maintenance {
    const warning = this.#clock.advance();
    this.#statements.correct.run(uptimeMs() + this.#maxWaitMs, uptimeMs());
    const forgotten = this.#forgetOver();
    const { deleteUnprocessed } = this.#statements;
    const deleted = Number(deleteUnprocessed.run(...this.#unprocessed(kinds)).changes);
    const warnings = deleted === 0 ? [] : [new DeletedError(deleted)];
    const hasBacklog = Math.max(forgotten, deleted) >= FORGET_BATCH;
    return {
      warnings: warning === undefined ? warnings : [new Error(warning), ...warnings],
      nextInMs: hasBacklog ? BACKLOG_INTERVAL_MS : MAINTENANCE_INTERVAL_MS,
    };
  }

  #forgetOver(): number {
    const { forgetConflicts, forgetEvents, writeForgotten } = this.#statements;
    const now = this.#clock.now();
    const rows = [...forgetConflicts.all(now), ...forgetEvents.all(now)];
    const signed = rows.map(({ signed_at: signedAt }) => Number(signedAt));
    const until = Math.max(this.#forgottenUntil(), ...signed);
    if (rows.length > 0) writeForgotten.run(String(until));
    return rows.length;
  }

  /** The latest signed time of all events that were forgotten. */
  #forgottenUntil(): number {
    return Number(this.#statements.readForgotten.get()?.value ?? Number.NEGATIVE_INFINITY);
  }

  /** The values of {@link UNPROCESSED}. */
  #unprocessed(kinds: Kinds): [queues: string, taken: string, before: number] {
    const own = queuesOnlyWith(kinds);
    const queues = QUEUES.filter((queue) => !own.includes(queue));
    return [JSON.stringify(queues), JSON.stringify(kinds ?? []), uptimeMs() - this.#retentionMs];
  }

  /**
   * Usually what the retention tells. An event that was signed after the last forgotten one is
   * remembered, whatever the retention is or was, and whatever the clock of the machine did.
   */
  horizon(): Horizon {
    const now = Math.min(this.#clock.now(), Date.now());
    return { now, remembersSince: Math.max(now - this.#retentionMs, this.#forgottenUntil()) };
  }
}
