import type { Dialect } from "../../../storage/dialect.ts";
import {
  insertIfAbsent,
  type Statement,
  type Steps,
  type Value,
} from "../../../storage/sql-steps.ts";
import { conflictIdOf } from "../delivery.ts";
import type { NewDelivery, Receipt } from "../inbox-types.ts";
import { queueOf } from "../kinds.ts";
import { type InboxSql, type InboxStatement, inParts, LIST_SIZE, valueList } from "./inbox-sql.ts";
import { bytesOfHex, deliveryValues, hexOf, stored } from "./rows.ts";

/** How many rows an INSERT has. In this process, a statement with one row is the fastest. */
const ROWS_AT_ONCE = 100;

/** What became of a group of deliveries. */
export interface StoredGroup {
  readonly kinds: readonly Receipt["kind"][];
  /** Whether each new event was stored by this transaction: another process may have stored one at the same moment. */
  readonly isSure: boolean;
}

/** What is stored of some keys, and what a group of deliveries adds to it. */
class KnownEvents {
  /** The digests of events by their keys. */
  readonly #events = new Map<string, string>();
  readonly #conflicts = new Map<string, string>();
  readonly newEvents: NewDelivery[] = [];
  readonly newConflicts: NewDelivery[] = [];

  /** @param state - `event`, or that of a conflict. */
  add(key: string, digest: string, state: string): void {
    if (state === "event") this.#events.set(key, digest);
    else this.#conflicts.set(conflictIdOf({ key, digest }), state);
  }

  #found(key: string, digest: string): Receipt["kind"] | undefined {
    if (this.#events.get(key) === digest) return "duplicate";
    const state = this.#conflicts.get(conflictIdOf({ key, digest }));
    return state === undefined ? undefined : state === "decided" ? "duplicate" : "conflict";
  }

  take(delivery: NewDelivery): Receipt["kind"] {
    const { key, formerKey = key, digest } = delivery;
    const found = this.#found(formerKey, digest) ?? this.#found(key, digest);
    if (found !== undefined) return found;
    const isConflict = this.#events.has(key);
    this.add(key, digest, isConflict ? "open" : "event");
    (isConflict ? this.newConflicts : this.newEvents).push(delivery);
    return isConflict ? "conflict" : "accepted";
  }
}

/** What is stored under the keys of a group. */
function* readKnown(
  sql: InboxSql,
  deliveries: readonly NewDelivery[],
): Steps<InboxStatement, KnownEvents> {
  const { events, conflicts } = sql.tables;
  const key = sql.dialect.column("key");
  const known = new KnownEvents();
  const keys = new Set(deliveries.flatMap(({ key, formerKey = key }) => [key, formerKey]));
  for (const part of inParts([...keys], LIST_SIZE)) {
    const { text, values } = valueList("key", part.map(bytesOfHex));
    const { rows } = yield [
      sql.statement(`SELECT ${key}, digest, 'event' AS state FROM ${events} WHERE ${key} IN (${text})
        UNION ALL SELECT ${key}, digest, state FROM ${conflicts} WHERE ${key} IN (${text})`),
      values,
    ];
    for (const row of rows) known.add(hexOf(row.key), hexOf(row.digest), String(row.state));
  }
  return known;
}

type NewRow = Readonly<Record<string, Value>>;

const eventRow = (delivery: NewDelivery): NewRow => ({
  ...deliveryValues(delivery),
  queue: queueOf(delivery.event),
  state: delivery.deadLetterReason === undefined ? "pending" : "dead",
  error: delivery.deadLetterReason === undefined ? null : stored(delivery.deadLetterReason),
});

const conflictRow = (delivery: NewDelivery): NewRow => ({
  ...deliveryValues(delivery),
  state: "open",
});

/** The values of a row among others end with its number. */
const numberedValues = (rows: readonly NewRow[]): NewRow =>
  Object.fromEntries(
    rows.flatMap((row, at) =>
      Object.entries(row).map(([column, value]) => [`${column}_${at}`, value] as const),
    ),
  );

function insertStatement(
  { column }: Dialect,
  table: string,
  columns: readonly string[],
  count: number,
  more: Readonly<Record<string, string>>,
): Statement {
  const valuesOf = (at: number) =>
    columns.map((one) => (count === 1 ? `$${one}` : `$${one}_${at}`));
  const tuples = Array.from({ length: count }, (_, at) =>
    [...valuesOf(at), ...Object.values(more)].join(", "),
  );
  const names = [...columns, ...Object.keys(more)].map(column).join(", ");
  return insertIfAbsent(`INSERT INTO ${table} (${names}) VALUES (${tuples.join("), (")})`);
}

/**
 * Inserts rows that are not there. Returns how many were not.
 *
 * @param more - Columns whose values are expressions, each with its expression.
 */
function* insertRows(
  sql: InboxSql,
  table: string,
  rows: readonly NewRow[],
  rowsAtOnce: number,
  more: Readonly<Record<string, string>> = {},
): Steps<InboxStatement, number> {
  let inserted = 0;
  for (const part of inParts(rows, rowsAtOnce)) {
    const [first = {}] = part;
    const insert = sql.named(`insert ${table} ${part.length}`, () =>
      insertStatement(sql.dialect, table, Object.keys(first), part.length, more),
    );
    inserted += (yield [insert, part.length === 1 ? first : numberedValues(part)]).changed;
  }
  return inserted;
}

/** In one order for all processes that write at the same time, so that two of them do not wait for each other. */
const inOrder = ({ dialect }: InboxSql, deliveries: readonly NewDelivery[]) =>
  dialect.isInProcess
    ? deliveries
    : deliveries.toSorted((a, b) => (conflictIdOf(a) < conflictIdOf(b) ? -1 : 1));

/** Stores a group of deliveries, as a part of a transaction. What it returns is valid when that is on the disk. */
export function* storeSteps(
  sql: InboxSql,
  deliveries: readonly NewDelivery[],
): Steps<InboxStatement, StoredGroup> {
  const known = yield* readKnown(sql, deliveries);
  const kinds = deliveries.map((delivery) => known.take(delivery));
  const { isInProcess, clocks } = sql.dialect;
  const rowsAtOnce = isInProcess ? 1 : ROWS_AT_ONCE;
  const { newEvents, newConflicts } = known;
  const due = { due_at: clocks.leaseMs };
  const events = inOrder(sql, newEvents).map(eventRow);
  const inserted = yield* insertRows(sql, sql.tables.events, events, rowsAtOnce, due);
  const conflicts = inOrder(sql, newConflicts).map(conflictRow);
  yield* insertRows(sql, sql.tables.conflicts, conflicts, rowsAtOnce);
  return { kinds, isSure: inserted === newEvents.length };
}
