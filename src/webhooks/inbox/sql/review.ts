import { isStorable, storableText } from "../../../internal/storable-text.ts";
import type { Statement, Value, Values } from "../../../storage/sql-steps.ts";
import { partsOfConflictId } from "../delivery.ts";
import type { EventFilter } from "../event-list.ts";
import type { StoredDoublePayment } from "../inbox-types.ts";
import { asDone, type tablesOf, withoutBody } from "../tables.ts";
import type { InboxSql } from "./inbox-sql.ts";
import { bytesOfHex, hexOf, stored } from "./rows.ts";

const MAX_TEXT = 1_000;

/** A text to look for; `""`, which no row has, for one that no database holds. */
const known = (text: string): string => (isStorable(text) ? text : "");

/** The bytes of an id; none if it is not the text of any bytes, which no row has. */
function bytesOfId(id: string): Uint8Array {
  const bytes = bytesOfHex(id);
  return hexOf(bytes) === id ? bytes : new Uint8Array();
}

/** The rows of a list. */
interface ListTable {
  readonly table: keyof ReturnType<typeof tablesOf>;
  readonly state: string;
  /** What a page shows; without them, all. */
  readonly columns?: readonly string[];
  /** The columns by which a row is found, with the values of an id. They order a page, too. */
  readonly keyOf: (id: string) => Readonly<Record<string, Value>>;
}

const EVENTS = {
  table: "events",
  columns: ["key", "kind", "received_at", "signature", "attempts", "error"],
  keyOf: (id: string) => ({ key: bytesOfId(id) }),
} as const;

const LISTS = {
  deadLetters: { ...EVENTS, state: "dead" },
  /** Those that are not processed yet. A failed attempt has left its error. */
  waiting: { ...EVENTS, state: "pending" },
  conflicts: {
    table: "conflicts",
    state: "open",
    columns: ["key", "digest", "kind", "received_at", "signature"],
    keyOf: (id: string) => {
      const { key, digest } = partsOfConflictId(id);
      return { key: bytesOfId(key), digest: bytesOfId(digest) };
    },
  },
  doublePayments: {
    table: "doubles",
    state: "open",
    keyOf: (id: string) => ({ id: known(id) }),
  },
} as const satisfies Readonly<Record<string, ListTable>>;

export type ListName = keyof typeof LISTS;

/** A filter of a list. `isRetrying`: only the events whose last attempt failed. */
export type ListFilter = EventFilter & { readonly isRetrying?: boolean };

/** What a person does with an item of a list. */
export type Decision = "requeue" | "drop";

type ReviewStep = readonly [statement: Statement, values: Values];

/** The first rows that match. A double payment has no kind. */
export function pageStep(sql: InboxSql, name: ListName, filter: ListFilter): ReviewStep {
  const { table, state, columns, keyOf }: ListTable = LISTS[name];
  const { since, until, after, limit, isRetrying } = filter;
  const kind = name === "doublePayments" ? undefined : filter.kind;
  const [first, last] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const key = keyOf(after?.id ?? "");
  const columnsOfOrder = ["received_at", ...Object.keys(key)];
  const order = columnsOfOrder.map(sql.dialect.column);
  const position = columnsOfOrder.map((column) => `$${column}`);
  return [
    sql.statement(`SELECT ${columns?.map(sql.dialect.column).join(", ") ?? "*"} FROM ${sql.tables[table]}
      WHERE state = '${state}' AND received_at >= $since AND received_at < $until
        AND ${sql.dialect.after(order, position)}
        ${isRetrying ? "AND error IS NOT NULL" : ""}
        ${kind === undefined ? "" : "AND kind = $kind"}
      ORDER BY ${order.join(", ")} LIMIT $limit`),
    {
      ...key,
      since: since ?? first,
      until: until ?? last,
      limit,
      received_at: after?.receivedAt ?? first,
      ...(kind !== undefined && { kind: stored(kind) }),
    },
  ];
}

/** A row with its body. */
export const rowStep = (sql: InboxSql, name: ListName, id: string): ReviewStep =>
  onRow(sql, name, id, (table) => `SELECT * FROM ${table}`);

function onRow(
  sql: InboxSql,
  name: ListName,
  id: string,
  what: (table: string) => string,
): ReviewStep {
  const { table, state, keyOf }: ListTable = LISTS[name];
  const key = keyOf(id);
  const conditions = Object.keys(key).map((name) => `${sql.dialect.column(name)} = $${name}`);
  const text = `${what(sql.tables[table])} WHERE ${conditions.join(" AND ")} AND state = '${state}'`;
  return [sql.statement(text), key];
}

/** What a person decides. A decided conflict is remembered from now on. */
export function decideStep(sql: InboxSql, name: ListName, how: Decision, id: string): ReviewStep {
  const changes = changesOf(sql, name, how);
  const [statement, key] = onRow(sql, name, id, (table) => `UPDATE ${table} SET ${changes}`);
  return [statement, changes.includes("$keep") ? { ...key, keep: sql.keepMs } : key];
}

function changesOf({ dialect }: InboxSql, name: ListName, how: Decision): string {
  if (name === "doublePayments") return "state = 'decided'";
  if (name === "deadLetters" && how === "requeue") {
    return `state = 'pending', attempts = 0, error = NULL, due_at = ${dialect.clocks.leaseMs}`;
  }
  return name === "conflicts" ? `state = 'decided', ${withoutBody(dialect)}` : asDone(dialect);
}

/** The row of a double payment. A person reads its texts; what tells pairs apart is the id. */
export function doubleValues(double: StoredDoublePayment): Values {
  const text = (given: string) => storableText(given, MAX_TEXT);
  const [first, second] = double.references;
  return {
    id: double.id,
    by: double.by,
    value: text(double.value),
    reference_1: text(first),
    reference_2: text(second),
    merchant: double.merchant ?? null,
    received_at: double.receivedAt,
  };
}
