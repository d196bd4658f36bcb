// The table of idempotency keys, and what is done with it, in the words that every database understands.
import type { Component, Migration, ValueTypes } from "../storage/component.ts";
import type { Dialect } from "../storage/dialect.ts";
import { insertIfAbsent, type Statements, statement } from "../storage/sql-steps.ts";
import { ATTEMPT_COLUMNS, COLUMNS } from "./columns.ts";
import { LEASE_MARGIN_MS } from "./deadline.ts";
import { RECORD_VERSION, STORE_FORMAT } from "./format.ts";

const NAME = "idempotency";

/**
 * `begun_at` is on the clock `wall`, `lease_from` on the clock `lease`, and `keep_until` on the clock `retention`.
 */
const FIRST: Migration = {
  format: STORE_FORMAT,
  sql: ({ types, suffix, table, column, index }) => {
    const keys = table(NAME, "");
    const key = column("key");
    return [
      `CREATE TABLE IF NOT EXISTS ${keys} (
    ${key} ${types.longKey} PRIMARY KEY,
    version ${types.integer} NOT NULL,
    state ${types.word} NOT NULL,
    owner ${types.text} NOT NULL,
    endpoint ${types.text} NOT NULL,
    idempotency_key ${types.text} NOT NULL,
    base_url ${types.text} NOT NULL,
    scope ${types.longKey} NOT NULL,
    begun_at ${types.time} NOT NULL,
    lease_from ${types.time} NOT NULL,
    lease_ms ${types.integer} NOT NULL,
    parameters ${types.text} NOT NULL,
    account_reference ${types.word},
    amount ${types.text},
    phone ${types.text},
    result ${types.text},
    keep_until ${types.time}
  )${suffix}`,
      index(keys, "begun_at", `(begun_at, ${key})`),
      index(keys, "state", `(state, begun_at, ${key})`),
      index(
        keys,
        "account_reference",
        `(account_reference, begun_at, ${key})`,
        "account_reference IS NOT NULL",
      ),
      index(keys, "keep_until", "(keep_until)", "keep_until IS NOT NULL"),
    ];
  },
};

/** The values that are no texts. */
const TYPES: ValueTypes = {
  lease_ms: "integer",
  retention_ms: "integer",
  after_at: "integer",
  count: "integer",
};

/** How many expired records are dropped at once: no other call waits for them noticeably. */
export const GROUP_SIZE = 20;

/** The names of the values of a group. */
export const GROUP_KEYS: readonly string[] = Array.from(
  { length: GROUP_SIZE },
  (_, at) => `key_${at}`,
);

/** The conditions and columns that several statements share. */
function partsFor({ clocks, later, inMs, column }: Dialect) {
  const key = column("key");
  const { lease } = clocks;
  /** Whether the lease has been over for that time. If the clock was set back, the lease begins again. */
  const isLeaseOverFor = (ms: number) =>
    `lease_from <= ${lease} AND ${later("lease_from", `(lease_ms + ${ms})`)} <= ${lease}`;
  const state = `CASE WHEN state = 'in_flight' AND ${isLeaseOverFor(0)} THEN 'unknown' ELSE state END`;
  const columns = COLUMNS.filter((one) => one !== "begun_at").join(", ");
  return {
    key,
    state,
    record: `${key}, ${columns}, ${inMs("begun_at")} AS begun_at,
      CASE WHEN lease_from > ${lease} THEN 0 ELSE ${inMs(`(${lease} - lease_from)`)} END AS elapsed_ms,
      CASE WHEN lease_from > ${lease} THEN 1 ELSE 0 END AS is_behind`,
    isOwned: `${key} = $key AND owner = $owner AND version = ${RECORD_VERSION}`,
    isResolvable: `${key} = $key AND version = ${RECORD_VERSION} AND scope = $scope
      AND ${state} = 'unknown' AND owner = coalesce($owner, owner)`,
    isFreeable: isLeaseOverFor(LEASE_MARGIN_MS),
    // A subselect runs once for a statement: only so does PostgreSQL use an index that is compared with it.
    isExpired: `keep_until <= (SELECT ${clocks.retention}) AND version = ${RECORD_VERSION}`,
    keepUntil: later(clocks.retention, "$retention_ms"),
  };
}

/** Records in their order, from a position on. */
function listsFor(dialect: Dialect) {
  const { clocks, fromMs } = dialect;
  const { key, state, record } = partsFor(dialect);
  const from = fromMs("$after_at");
  // Every database uses an index for the first condition; MySQL uses none for a pair. The others are one condition of
  // unknown likelihood: of each `=`, PostgreSQL without statistics expects that few records have it, and would read and
  // sort all records instead of the first ones of an index.
  const keys = dialect.table(NAME, "");
  const listWhere = (index: string, condition: string) =>
    statement(`
    SELECT ${record} FROM ${dialect.by(keys, index)}
    WHERE begun_at >= ${from} ${condition}
      AND CASE WHEN (begun_at > ${from} OR ${key} > $after_key)
        AND version = ${RECORD_VERSION} AND scope = $scope
        AND (keep_until IS NULL OR keep_until > ${clocks.retention})
        AND ($state IS NULL OR ${state} = $state)
        AND ($parameters IS NULL OR parameters = $parameters)
        AND ($amount IS NULL OR amount = $amount)
        AND ($phone IS NULL OR phone = $phone)
      THEN true ELSE false END
    ORDER BY ${keys}.begun_at, ${keys}.${key} LIMIT $count`);
  return {
    list: listWhere("begun_at", ""),
    // Their own statements, so that they use an index: every event of a payment asks for these.
    listOpen: listWhere("state", "AND state IN ('in_flight', 'unknown')"),
    listFor: listWhere("account_reference", "AND account_reference = $account_reference"),
  };
}

/**
 * One statement for each operation: every database makes each atomic and durable. None needs the state of a session, so a
 * pooler may run each on another connection.
 */
function statementsFor(dialect: Dialect) {
  const { clocks, durable } = dialect;
  const table = dialect.table(NAME, "");
  const { key, record, isOwned, isResolvable, isFreeable, isExpired, keepUntil } =
    partsFor(dialect);
  const version = `CASE WHEN ${durable} THEN ${RECORD_VERSION} END`;
  const attempt = ATTEMPT_COLUMNS.map((column) => `$${column}`).join(", ");
  return {
    begin: insertIfAbsent(`
    INSERT INTO ${table} (version, ${key}, state, begun_at, lease_from, ${ATTEMPT_COLUMNS.join(", ")})
    VALUES (${version}, $key, 'in_flight', ${clocks.wall}, ${clocks.lease}, ${attempt})`),
    beginExpired: statement(`
    UPDATE ${table} SET state = 'in_flight', begun_at = ${clocks.wall}, lease_from = ${clocks.lease},
      ${ATTEMPT_COLUMNS.map((column) => `${column} = $${column}`).join(", ")}, result = NULL, keep_until = NULL
    WHERE ${key} = $key AND ${isExpired} AND ${durable}`),
    // Of another version too: only the version that wrote it knows when it expires.
    read: statement(`
    SELECT ${record} FROM ${table} WHERE ${key} = $key
      AND (keep_until IS NULL OR keep_until > ${clocks.retention} OR version <> ${RECORD_VERSION})`),
    finish: statement(`
    UPDATE ${table} SET state = $state, result = $result,
      keep_until = CASE WHEN $state = 'succeeded' THEN ${keepUntil} END
    WHERE ${isOwned} AND ${durable}`),
    forget: statement(`DELETE FROM ${table} WHERE ${isOwned} AND ${durable}`),
    // A resolved record has no owner, so that its old owner cannot change it later.
    resolve: statement(`
    UPDATE ${table} SET state = 'succeeded', result = $result, keep_until = ${keepUntil}, owner = ''
    WHERE ${isResolvable} AND ${durable}`),
    free: statement(`DELETE FROM ${table} WHERE ${isResolvable} AND ${isFreeable} AND ${durable}`),
    // The clock of leases was set back since: a lease lasts no longer than its own length from here.
    restartLease: statement(`
    UPDATE ${table} SET lease_from = ${clocks.lease}
    WHERE ${key} = $key AND lease_from > ${clocks.lease} AND version = ${RECORD_VERSION} AND ${durable}`),
    expired: statement(`
    SELECT ${key} FROM ${table} WHERE ${isExpired} ORDER BY keep_until LIMIT ${GROUP_SIZE}`),
    // By their keys, so that it locks rows in the order in which `beginExpired` does.
    dropExpired: statement(`
    DELETE FROM ${table} WHERE ${key} IN (${GROUP_KEYS.map((name) => `$${name}`).join(", ")}) AND ${isExpired}`),
    ...listsFor(dialect),
  };
}

export type KeyStatement = keyof ReturnType<typeof statementsFor>;

/** In PostgreSQL, a comment on the table said its format before there was a table for that. */
const COMMENT = /^Idempotency keys of malipo, format (\d{1,9})$/;

/**
 * Before keys, events and orders had one schema, a table of any name said its format in a comment. That of a checkout was
 * named as it is now, beside its orders: a comment is left on it.
 */
const findFormer = ({ name, table }: Dialect): string | undefined =>
  name === "postgres"
    ? `SELECT format('%I.%I', nspname, t.relname) AS name
        FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
        JOIN pg_description ON objoid = t.oid AND classoid = 'pg_class'::regclass AND objsubid = 0
        WHERE description ~ '^Idempotency keys of malipo, format [0-9]+$'
          AND t.oid IS DISTINCT FROM to_regclass('${table(NAME, "")}')
          AND NOT (t.relname = 'idempotency' AND EXISTS (SELECT 1 FROM pg_class beside
            WHERE beside.relnamespace = t.relnamespace AND beside.relname IN ('orders', 'idempotency_meta')))
        ORDER BY 1`
    : undefined;

/** Idempotency keys, in any SQL database. */
export const KEYS: Component<KeyStatement> = {
  name: NAME,
  what: "idempotency keys",
  migrations: [FIRST],
  statements: (dialect): Statements<KeyStatement> => statementsFor(dialect),
  types: TYPES,
  withoutMeta: { table: "", formatIn: (comment) => COMMENT.exec(comment)?.[1] ?? "0" },
  former: { find: findFormer, risk: "a customer could be prompted again for the same key" },
};
