import type { Steps } from "../../../storage/sql-steps.ts";
import { DeletedError } from "../errors.ts";
import { type Kinds, QUEUES, queuesOnlyWith } from "../kinds.ts";
import type { Maintenance } from "../lease-store.ts";
import { MAX_RETRY_WAIT_MS } from "../pace.ts";
import { FORGET_BATCH } from "../tables.ts";
import { type InboxSql, type InboxStatement, valueList } from "./inbox-sql.ts";
import type { InboxStore } from "./inbox-store.ts";
import { stored } from "./rows.ts";

/** Between two batches of what is forgotten, other work has its turn. */
const BACKLOG_INTERVAL_MS = 20;

/** Upkeep may have to find some rows among all. */
const TIMEOUT_MS = 60_000;

/** A lease that ends later than any can, and since when this process has seen it. */
interface LateLease {
  readonly row: number;
  readonly token: number;
  readonly due: number;
  readonly seenAt: number;
}

function* deleteEvents(sql: InboxSql, rows: readonly number[]): Steps<InboxStatement, void> {
  if (rows.length === 0) return;
  const { text, values } = valueList("row", rows);
  yield [sql.statement(`DELETE FROM ${sql.tables.events} WHERE id IN (${text})`), values];
}

/** Forgets what is over, some at a time. Returns whether there may be more. */
function* forgetSteps(sql: InboxSql): Steps<InboxStatement, boolean> {
  const conflicts = (yield ["overConflicts", {}]).rows;
  for (const { key, digest } of conflicts) {
    yield ["deleteConflict", { key: key as Uint8Array, digest: digest as Uint8Array }];
  }
  const events = (yield ["overEvents", {}]).rows;
  yield* deleteEvents(
    sql,
    events.map(({ id }) => Number(id)),
  );
  const all = [...conflicts, ...events];
  if (all.length === 0) return false;
  // An event that was signed after the last forgotten one is remembered, whatever the retention was.
  const until = all.reduce((latest, row) => Math.max(latest, Number(row.signed_at)), 0);
  const forgotten = { name: "forgotten_until", value: String(until) };
  yield ["addMeta", forgotten];
  yield ["raiseMeta", { ...forgotten, length: forgotten.value.length }];
  return all.length >= FORGET_BATCH;
}

/** Deletes events that no process took for the whole retention. Returns how many. */
function* deleteUnprocessed(sql: InboxSql, kinds: Kinds): Steps<InboxStatement, number> {
  const own = queuesOnlyWith(kinds);
  const others = QUEUES.filter((queue) => !own.includes(queue));
  if (others.length === 0) return 0;
  const queues = valueList("queue", others);
  const taken = valueList("kind", (kinds ?? []).map(stored));
  const { dialect, tables, keepMs } = sql;
  const { rows } = yield [
    sql.statement(`SELECT id FROM ${tables.events} WHERE state = 'pending' AND queue IN (${queues.text})
      AND due_at <= ${dialect.clocks.leaseMs} - $keep AND kind NOT IN (${taken.text})
      LIMIT ${FORGET_BATCH} ${dialect.takeRows}`),
    { ...queues.values, ...taken.values, keep: keepMs },
  ];
  yield* deleteEvents(
    sql,
    rows.map(({ id }) => Number(id)),
  );
  return rows.length;
}

/** Forgets what is over, and looks after the clock by which events are due. */
export class Upkeep {
  readonly #store: InboxStore;
  readonly #longestMs: number;
  readonly #leaseMs: number;
  #late: readonly LateLease[] = [];

  constructor(store: InboxStore) {
    this.#store = store;
    this.#leaseMs = store.pace.leaseMs;
    this.#longestMs = Math.ceil(Math.max(MAX_RETRY_WAIT_MS, this.#leaseMs));
  }

  /** @param kinds - Those that this process works on. */
  async run(kinds: Kinds): Promise<Maintenance> {
    const { tables, sql, maintenanceMs } = this.#store;
    const { isMore, deleted, late } = await this.#store.transaction(() => this.#steps(sql, kinds), {
      isLater: true,
      timeoutMs: TIMEOUT_MS,
    });
    this.#late = late;
    this.#store.hasRetention = true;
    const warnings = tables.takeWarnings().map((warning) => new Error(warning));
    const hasBacklog = isMore || deleted >= FORGET_BATCH;
    return {
      warnings: deleted === 0 ? warnings : [...warnings, new DeletedError(deleted)],
      nextInMs: hasBacklog ? BACKLOG_INTERVAL_MS : maintenanceMs,
    };
  }

  *#steps(sql: InboxSql, kinds: Kinds) {
    yield* this.#store.retentionSteps();
    const late = yield* this.#correctSteps();
    const isMore = yield* forgetSteps(sql);
    const deleted = yield* deleteUnprocessed(sql, kinds);
    return { late, isMore, deleted };
  }

  /**
   * If the clock was set back, what waits is due now. A process that has an event renews its lease by the new clock: one
   * that is not renewed in the time of a lease is that of a dead process.
   */
  *#correctSteps(): Steps<InboxStatement, LateLease[]> {
    const longest = this.#longestMs;
    yield ["freeWaiting", { longest }];
    const { rows } = yield ["misdatedLeases", { longest }];
    const now = performance.now();
    const found = rows.map((row) => {
      const one = { row: Number(row.id), token: Number(row.token), due: Number(row.due_at) };
      const known = this.#late.find(
        (late) => late.row === one.row && late.token === one.token && late.due === one.due,
      );
      return { ...one, seenAt: known?.seenAt ?? now };
    });
    const isDead = ({ seenAt }: LateLease) => now - seenAt > this.#leaseMs;
    for (const { row, token, due } of found.filter(isDead))
      yield ["freeLease", { row, token, due }];
    return found.filter((one) => !isDead(one));
  }
}
