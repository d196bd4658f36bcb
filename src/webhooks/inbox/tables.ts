// The tables of events. Keys and digests are bytes, not hexadecimal digits: every insert touches the index of the keys at
// random, so it must be small.
import type { Component, ValueTypes } from "../../storage/component.ts";
import type { Dialect } from "../../storage/dialect.ts";
import { insertIfAbsent, type Statements, statement } from "../../storage/sql-steps.ts";
import { OTHER_QUEUE, QUEUES } from "./kinds.ts";

const NAME = "inbox";

/** How many events are forgotten at once. */
export const FORGET_BATCH = 500;

/** How many conflicts are forgotten at once, each by its own statement. */
const FORGET_CONFLICTS = 100;

const PENDING = { state: "pending" } as const;

/** The names of the tables. */
export const tablesOf = ({ table }: Dialect) => ({
  events: table(NAME, ""),
  conflicts: table(NAME, "conflicts"),
  doubles: table(NAME, "double_payments"),
  meta: table(NAME, "meta"),
});

/**
 * - events: `due_at` of a pending event is when it is due, or when its lease ends, by the clock of leases. `token` is that of
 *   the lease. A processed event has no body any more; its key and its digest recognise duplicates until `forget_at`, which
 *   is empty for an event that is remembered without end.
 * - conflicts: a decided one (requeued or dropped) has no body any more, and is remembered in the same way from the decision
 *   on.
 */
function firstFormat(dialect: Dialect): string[] {
  const { events, conflicts, doubles } = tablesOf(dialect);
  const { suffix, index, column } = dialect;
  const { integer, bytes, digest, key, word, text } = dialect.types;
  const eventKey = column("key");
  const delivery = `
    digest ${digest} NOT NULL,
    kind ${key} NOT NULL,
    raw ${bytes} NOT NULL,
    secret_index ${integer} NOT NULL,
    received_at ${integer} NOT NULL,
    signed_at ${integer},
    signature ${text},
    trace_context ${text},
    source ${text},
    forget_at ${integer}`;
  return [
    `CREATE TABLE IF NOT EXISTS ${events} (
    id ${dialect.types.counter} PRIMARY KEY,
    queue ${word} NOT NULL,
    due_at ${integer} NOT NULL,
    token ${integer},
    ${eventKey} ${digest} NOT NULL UNIQUE,${delivery},
    state ${word} NOT NULL CHECK (state IN ('pending', 'done', 'dead')),
    attempts ${integer} NOT NULL DEFAULT 0,
    error ${text}
  )${suffix}`,
    `CREATE TABLE IF NOT EXISTS ${conflicts} (
    ${eventKey} ${digest} NOT NULL,${delivery},
    state ${word} NOT NULL CHECK (state IN ('open', 'decided')),
    PRIMARY KEY (${eventKey}, digest)
  )${suffix}`,
    `CREATE TABLE IF NOT EXISTS ${doubles} (
    id ${key} PRIMARY KEY,
    ${column("by")} ${text} NOT NULL,
    value ${text} NOT NULL,
    reference_1 ${text} NOT NULL,
    reference_2 ${text} NOT NULL,
    merchant ${text},
    received_at ${integer} NOT NULL,
    state ${word} NOT NULL CHECK (state IN ('open', 'decided'))
  )${suffix}`,
    // All that stats() counts, so that no row is read for it.
    index(events, "due", "(queue, due_at, token, attempts, received_at)", PENDING),
    index(events, "dead", `(received_at, ${eventKey})`, { state: "dead" }),
    index(events, "forget", "(forget_at)", "forget_at IS NOT NULL"),
    index(conflicts, "open", `(received_at, ${eventKey}, digest)`, { state: "open" }),
    index(conflicts, "decided", "(forget_at)", "forget_at IS NOT NULL"),
    // For a process that takes only some kinds of the queue of all others.
    index(events, "other", "(kind, due_at, token, attempts, received_at)", {
      ...PENDING,
      queue: OTHER_QUEUE,
    }),
  ];
}

const TYPES: ValueTypes = {
  key: "bytes",
  digest: "bytes",
  raw: "bytes",
  secret_index: "integer",
  received_at: "integer",
  signed_at: "integer",
  row: "integer",
  token: "integer",
  due: "integer",
  count: "integer",
  ahead: "integer",
  lease: "integer",
  retry: "integer",
  keep: "integer",
  longest: "integer",
  since: "integer",
  until: "integer",
  limit: "integer",
  length: "integer",
};

/** An event that is processed: only its key and its digest are remembered, for `$keep` milliseconds. */
export const asDone = (dialect: Dialect): string =>
  `state = 'done', token = NULL, error = NULL, ${withoutBody(dialect)}`;

/** The changes that leave only the key and the digest of a row. */
export const withoutBody = ({ noBytes, clocks: { retentionMs } }: Dialect): string =>
  `raw = ${noBytes}, signature = NULL, trace_context = NULL, forget_at = CASE
    WHEN signed_at > ${retentionMs} THEN signed_at + $keep
    WHEN signed_at IS NOT NULL THEN ${retentionMs} + $keep END`;

const QUEUE_LIST = QUEUES.map((queue) => `'${queue}'`).join(", ");

/**
 * The numbers of each kind of which events wait. `count`: the running ones included. `lag_ms`: how long the first has been
 * due.
 */
function countsOf(dialect: Dialect, kind: string, condition: string): string {
  const { leaseMs } = dialect.clocks;
  const runs = `token IS NOT NULL AND due_at > ${leaseMs}`;
  const sum = (holds: string) => `SUM(CASE WHEN ${holds} THEN 1 ELSE 0 END)`;
  const oldest = (holds: string) => `MIN(CASE WHEN ${holds} THEN received_at END)`;
  return `SELECT ${kind} AS kind, COUNT(*) AS count, ${leaseMs} - MIN(due_at) AS lag_ms,
    ${sum(runs)} AS running,
    ${sum(`attempts > 0 AND NOT (${runs})`)} AS retrying,
    ${oldest(`token IS NULL OR due_at <= ${leaseMs}`)} AS oldest,
    ${oldest(`attempts > 0 AND (token IS NULL OR due_at <= ${leaseMs})`)} AS oldest_retrying
    FROM ${tablesOf(dialect).events} WHERE state = 'pending' AND ${condition} GROUP BY ${kind}`;
}

function statements(dialect: Dialect) {
  const { events, conflicts, doubles, meta } = tablesOf(dialect);
  const { leaseMs, retentionMs, wallMs } = dialect.clocks;
  const key = dialect.column("key");
  // No event is due later than this: the clock was set back, or the machine was started again, since the row was written.
  const misdated = `state = 'pending' AND queue IN (${QUEUE_LIST}) AND due_at > ${leaseMs} + $longest`;
  return {
    fail: statement(`UPDATE ${events} SET state = $state, token = NULL, due_at = ${leaseMs} + $retry, error = $error
      WHERE id = $row AND token = $token`),
    /** A due event that no process may run. An error of an earlier attempt tells more. */
    bury: statement(
      `UPDATE ${events} SET state = 'dead', token = NULL, error = COALESCE(error, $error) WHERE id = $row`,
    ),
    stateOf: statement(`SELECT state FROM ${events} WHERE id = $row`),
    freeWaiting: statement(
      `UPDATE ${events} SET due_at = ${leaseMs} WHERE ${misdated} AND token IS NULL`,
    ),
    misdatedLeases: statement(
      `SELECT id, token, due_at FROM ${events} WHERE ${misdated} AND token IS NOT NULL LIMIT 1000`,
    ),
    freeLease: statement(
      `UPDATE ${events} SET due_at = ${leaseMs} WHERE id = $row AND token = $token AND due_at = $due`,
    ),
    overEvents:
      statement(`SELECT id, signed_at FROM ${dialect.by(events, "forget")} WHERE forget_at <= ${retentionMs} AND state = 'done'
      ORDER BY forget_at LIMIT ${FORGET_BATCH} ${dialect.takeRows}`),
    overConflicts:
      statement(`SELECT ${key}, digest, signed_at FROM ${dialect.by(conflicts, "decided")}
      WHERE forget_at <= ${retentionMs} AND state = 'decided'
      ORDER BY forget_at LIMIT ${FORGET_CONFLICTS} ${dialect.takeRows}`),
    deleteConflict: statement(`DELETE FROM ${conflicts} WHERE ${key} = $key AND digest = $digest`),
    addMeta: insertIfAbsent(`INSERT INTO ${meta} (name, value) VALUES ($name, $value)`),
    setMeta: statement(`UPDATE ${meta} SET value = $value WHERE name = $name AND value <> $value`),
    /** Whole numbers as texts: the longer one is the larger one. */
    raiseMeta: statement(`UPDATE ${meta} SET value = $value WHERE name = $name
      AND (LENGTH(value) < $length OR (LENGTH(value) = $length AND value < $value))`),
    horizon: statement(`SELECT ${retentionMs} AS now, ${wallMs} AS wall,
      (SELECT value FROM ${meta} WHERE name = 'forgotten_until') AS forgotten`),
    /** A queue has the name of its kind, but for the one of all others. Each part has an index. */
    counts: statement(
      [
        countsOf(dialect, "queue", `queue <> '${OTHER_QUEUE}'`),
        countsOf(dialect, "kind", `queue = '${OTHER_QUEUE}'`),
      ].join(" UNION ALL "),
    ),
    forAPerson: statement(`SELECT (SELECT COUNT(*) FROM ${events} WHERE state = 'dead') AS dead,
      (SELECT COUNT(*) FROM ${conflicts} WHERE state = 'open') AS conflicts`),
    addDouble: insertIfAbsent(`INSERT INTO ${doubles}
      (id, ${dialect.column("by")}, value, reference_1, reference_2, merchant, received_at, state)
      VALUES ($id, $by, $value, $reference_1, $reference_2, $merchant, $received_at, 'open')`),
  };
}

export type InboxStatement = keyof ReturnType<typeof statements>;

/** Before keys, events and orders had one schema, the names of these tables began with that of a queue of pg-boss. */
const findFormer = ({ name }: Dialect): string | undefined =>
  name === "postgres"
    ? `SELECT format('%I.%I', nspname, t.relname) AS name
        FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
        WHERE t.relkind = 'r' AND t.relname LIKE '%\\_events' AND (SELECT COUNT(*) FROM pg_class beside
          WHERE beside.relnamespace = t.relnamespace AND beside.relname IN (SELECT
            regexp_replace(t.relname, 'events$', part) FROM unnest(ARRAY['conflicts', 'doubles', 'meta']) AS part)) = 3
        ORDER BY 1`
    : undefined;

/** The tables of events, of format 1. */
export const INBOX: Component<InboxStatement> = {
  name: NAME,
  what: "events",
  migrations: [{ format: 1, sql: firstFormat }],
  statements: (dialect): Statements<InboxStatement> => statements(dialect),
  types: TYPES,
  former: { find: findFormer, risk: "events that wait there would never be processed" },
};

/**
 * A query: the retention with which a process last worked on the inbox. A person who drops an event from a shell has it
 * remembered for as long.
 */
export const retentionQuery = (meta: string): string =>
  `SELECT value FROM ${meta} WHERE name = 'retention'`;
