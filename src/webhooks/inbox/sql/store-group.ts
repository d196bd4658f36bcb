import {
  type ManyValues,
  type Statement,
  type Steps,
  statement,
  type Value,
} from "../../../storage/sql-steps.ts";
import { conflictIdOf } from "../delivery.ts";
import type { NewDelivery, Receipt } from "../inbox-types.ts";
import { queueOf } from "../kinds.ts";
import { type InboxSql, type InboxStatement, inParts, LIST_SIZE, valueList } from "./inbox-sql.ts";
import { bytesOfHex, deliveryValues, hexOf, stored } from "./rows.ts";

/** How many rows an INSERT has. In this process, a statement with one row is the fastest. */
const ROWS_AT_ONCE = 100;

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

/** The values of a row among others end with its number. */
function numberedValues(rows: readonly NewRow[]): ManyValues {
  const all = new Map<string, Value>();
  for (const [at, row] of rows.entries()) {
    for (const column of Object.keys(row)) all.set(`${column}_${at}`, row[column] as Value);
  }
  return all;
}

/** @param more - Columns whose values are expressions, each with its expression. */
function insertStatement(
  { dialect }: InboxSql,
  table: string,
  columns: readonly string[],
  count: number,
  more: Readonly<Record<string, string>>,
): Statement {
  const valuesOf = (at: number) =>
    columns.map((one) => (count === 1 ? `$${one}` : `$${one}_${at}`));
  // The setting is that of the transaction: the first row is enough.
  const expressionsOf = (at: number) =>
    Object.values(more).map((one) =>
      at === 0 ? `CASE WHEN ${dialect.durable} THEN ${one} END` : one,
    );
  const tuples = Array.from({ length: count }, (_, at) =>
    [...valuesOf(at), ...expressionsOf(at)].join(", "),
  );
  const names = [...columns, ...Object.keys(more)].map(dialect.column).join(", ");
  return statement(`INSERT INTO ${table} (${names}) VALUES (${tuples.join("), (")})`);
}

/** In one order for all processes that write at the same time, so that two of them do not wait for each other. */
const inOrder = ({ dialect }: InboxSql, deliveries: readonly NewDelivery[]) =>
  dialect.isInProcess
    ? deliveries
    : deliveries.toSorted((a, b) => (conflictIdOf(a) < conflictIdOf(b) ? -1 : 1));

/** Inserts deliveries that are not there, and notes each that is stored. */
function* insertAll(
  sql: InboxSql,
  table: string,
  deliveries: readonly NewDelivery[],
  rowOf: (delivery: NewDelivery) => NewRow,
  more: Readonly<Record<string, string>>,
  own: Set<NewDelivery>,
): Steps<InboxStatement, void> {
  const size = sql.dialect.isInProcess ? 1 : ROWS_AT_ONCE;
  for (const part of inParts(inOrder(sql, deliveries), size)) {
    const rows = part.map(rowOf);
    const [first = {}] = rows;
    const insert = sql.named(`insert ${table} ${rows.length}`, () =>
      insertStatement(sql, table, Object.keys(first), rows.length, more),
    );
    yield [insert, rows.length === 1 ? first : numberedValues(rows)];
    for (const delivery of part) own.add(delivery);
  }
}

/**
 * Stores a group of deliveries. What it returns is valid when that is on the disk.
 *
 * It needs no transaction: each delivery stands for itself. If another process stores one of them at the same moment, a
 * statement fails as a whole, and the steps are to be run again.
 *
 * @param own - Those that an earlier run has stored: they are no duplicates of themselves.
 */
export function* storeSteps(
  sql: InboxSql,
  deliveries: readonly NewDelivery[],
  own: Set<NewDelivery> = new Set(),
): Steps<InboxStatement, readonly Receipt["kind"][]> {
  const known = yield* readKnown(sql, deliveries);
  const kinds = deliveries.map((delivery) => {
    const kind = known.take(delivery);
    return kind === "duplicate" && own.has(delivery) ? "accepted" : kind;
  });
  const { events, conflicts } = sql.tables;
  const due = { due_at: sql.dialect.clocks.leaseMs };
  yield* insertAll(sql, events, known.newEvents, eventRow, due, own);
  const open = { state: "'open'" };
  yield* insertAll(sql, conflicts, known.newConflicts, deliveryValues, open, own);
  return kinds;
}
