import type { Row, Statement, Steps, Values } from "../../../storage/sql-steps.ts";
import { MERCHANT } from "../delivery.ts";
import { PROCESS_DIED, unreadable } from "../errors.ts";
import { MAX_ATTEMPTS } from "../inbox-types.ts";
import { type Kinds, kindsInOther, OTHER_QUEUE, queuesOnlyWith } from "../kinds.ts";
import { type Lease, POLL_INTERVAL_MS } from "../lease-store.ts";
import { type InboxSql, type InboxStatement, valueList } from "./inbox-sql.ts";
import { hexOf, requestIn, stored } from "./rows.ts";

/**
 * The events that a process takes, in parts: whole queues, and some kinds of the queue of all others. An index begins with
 * what a part compares, and has its events in the order in which they are due.
 */
interface Parts {
  readonly conditions: readonly Part[];
  readonly values: Values;
}

interface Part {
  /** The name of its index. */
  readonly index: string;
  readonly condition: string;
}

function partsFor(kinds: Kinds): Parts {
  const queues = queuesOnlyWith(kinds).map((queue, at) => [`queue_${at}`, queue] as const);
  const others = kindsInOther(kinds).map((kind, at) => [`kind_${at}`, stored(kind)] as const);
  const conditions = [
    ...queues.map(([name]) => ({ index: "due", condition: `queue = $${name}` })),
    ...others.map(([name]) => ({
      index: "other",
      condition: `queue = '${OTHER_QUEUE}' AND kind = $${name}`,
    })),
  ];
  return { conditions, values: Object.fromEntries([...queues, ...others]) };
}

/** A query on each part. @param query - Gets what stands after FROM. */
const ofParts = (
  { dialect, tables }: InboxSql,
  { conditions }: Parts,
  query: (pending: string) => string,
): string =>
  conditions
    .map(({ index, condition }, at) => {
      const events = dialect.by(tables.events, index);
      const pending = `${events} WHERE state = 'pending' AND ${condition}`;
      return `SELECT * FROM (${query(pending)}) AS part_${at}`;
    })
    .join(" UNION ALL ");

/** Milliseconds until the next event of the kinds is due; infinite if there is none. */
export function* nextDueSteps(sql: InboxSql, kinds: Kinds): Steps<InboxStatement, number> {
  const parts = partsFor(kinds);
  if (parts.conditions.length === 0) return Number.POSITIVE_INFINITY;
  const first = (pending: string) => `SELECT MIN(due_at) AS due_at FROM ${pending}`;
  const text = `SELECT MIN(due_at) - ${sql.dialect.clocks.leaseMs} AS in_ms FROM (${ofParts(sql, parts, first)}) AS firsts`;
  const [row] = (yield [sql.statement(text), parts.values]).rows;
  return (row?.in_ms ?? null) === null ? Number.POSITIVE_INFINITY : Number(row?.in_ms);
}

/** How many events of the kinds are due. */
export function* dueCountSteps(sql: InboxSql, kinds: Kinds): Steps<InboxStatement, number> {
  const parts = partsFor(kinds);
  if (parts.conditions.length === 0) return 0;
  const count = (pending: string) =>
    `SELECT COUNT(*) AS due FROM ${pending} AND due_at <= ${sql.dialect.clocks.leaseMs}`;
  const text = `SELECT SUM(due) AS due FROM (${ofParts(sql, parts, count)}) AS counts`;
  return Number((yield [sql.statement(text), parts.values]).rows[0]?.due);
}

/** A condition: the event is of no merchant whose places are taken. Whose it is stands in its trace, as JSON. */
function notOf(busy: readonly string[]): { readonly text: string; readonly values: Values } {
  if (busy.length === 0) return { text: "", values: {} };
  const { values } = valueList(
    "busy",
    busy.map((merchant) => `${JSON.stringify(MERCHANT)}:${JSON.stringify(merchant)}`),
  );
  // REPLACE compares exactly in each database, and LIKE does not.
  const conditions = Object.keys(values).map(
    (name) => `AND (trace_context IS NULL OR REPLACE(trace_context, $${name}, '') = trace_context)`,
  );
  return { text: conditions.join(" "), values };
}

/** What is due, or soon will be, in that order. No other process takes these rows until the transaction ends. */
function claimStatement(sql: InboxSql, parts: Parts, condition: string): Statement {
  const { tables, dialect } = sql;
  const { leaseMs } = dialect.clocks;
  const due = (pending: string) => `SELECT id, due_at, attempts FROM ${pending}
    AND due_at <= ${leaseMs} + $ahead ${condition} ORDER BY due_at LIMIT $count ${dialect.takeRows}`;
  return sql.statement(`SELECT e.id, e.${dialect.column("key")}, e.raw, d.attempts, e.received_at, e.trace_context, e.source,
      d.due_at - ${leaseMs} AS in_ms
    FROM (SELECT * FROM (${ofParts(sql, parts, due)}) AS parts ORDER BY due_at LIMIT $count) AS d
    JOIN ${tables.events} AS e ON e.id = d.id ORDER BY d.due_at`);
}

/** Which events are taken. */
interface ClaimedKinds {
  readonly count: number;
  readonly kinds: Kinds;
  readonly busy: readonly string[];
  readonly leaseMs: number;
}

/** New leases, and when the next event is due. */
export interface Claimed {
  readonly leases: Lease[];
  readonly nextInMs: number;
}

/** A lease is a row and a number, which the row holds while it is leased. */
export function partsOfToken(token: string): { readonly row: number; readonly token: number } {
  const [row = 0, number = 0] = token.split("/").map(Number);
  return { row, token: number };
}

/** Leases what has been due for longest, of the kinds. */
export function* claimSteps(
  sql: InboxSql,
  { count, kinds, busy, leaseMs }: ClaimedKinds,
): Steps<InboxStatement, Claimed> {
  const parts = partsFor(kinds);
  if (parts.conditions.length === 0) return { leases: [], nextInMs: Number.POSITIVE_INFINITY };
  const others = notOf(busy);
  const { rows } = yield [
    claimStatement(sql, parts, others.text),
    { ...parts.values, ...others.values, count, ahead: POLL_INTERVAL_MS },
  ];
  const due = rows.filter((row) => Number(row.in_ms) <= 0);
  // A number that no other lease of these rows has.
  const token = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  const leases: Lease[] = [];
  for (const row of due) {
    const lease = leaseOf(row, token);
    if (typeof lease !== "string") leases.push(lease);
    else yield ["bury", { row: Number(row.id), error: stored(lease) }];
  }
  yield* leaseRows(sql, leases, token, leaseMs);
  const next = rows.find((row) => Number(row.in_ms) > 0);
  const isMore = due.length === count || busy.length > 0 || leases.length < due.length;
  return {
    leases,
    nextInMs: isMore ? 0 : next === undefined ? Number.POSITIVE_INFINITY : Number(next.in_ms),
  };
}

function* leaseRows(
  sql: InboxSql,
  leases: readonly Lease[],
  token: number,
  lease: number,
): Steps<InboxStatement, void> {
  if (leases.length === 0) return;
  const rows = valueList(
    "row",
    leases.map((one) => partsOfToken(one.token).row),
  );
  yield [
    sql.statement(`UPDATE ${sql.tables.events} SET attempts = attempts + 1, token = $token,
      due_at = ${sql.dialect.clocks.leaseMs} + $lease WHERE id IN (${rows.text})`),
    { ...rows.values, token, lease },
  ];
}

/** The lease of an event that is due; or, as a text, why no process may run it. */
function leaseOf(row: Row, token: number): Lease | string {
  const attempt = Number(row.attempts) + 1;
  if (attempt > MAX_ATTEMPTS) return PROCESS_DIED;
  try {
    const lease = { key: hexOf(row.key), raw: row.raw as Uint8Array, ...requestIn(row) };
    return { ...lease, attempt, token: `${Number(row.id)}/${token}` };
  } catch (error) {
    return unreadable(error);
  }
}
