import { ATTEMPT_COLUMNS, COLUMNS } from "../columns.ts";
import { LEASE_MARGIN_MS } from "../deadline.ts";
import { RECORD_VERSION } from "../format.ts";

/** The differences between the two databases. All times are SQL expressions. */
export interface Dialect {
  readonly table: string;
  /** The current time of each clock. */
  readonly now: {
    /** Of `begun_at`. */
    readonly wall: string;
    /** Of `lease_from`. */
    readonly lease: string;
    /** Of `keep_until`. */
    readonly retention: string;
  };
  /** A time that is some milliseconds after another one. */
  readonly later: (time: string, ms: string) => string;
  /** A time, or the difference between two times, in milliseconds. */
  readonly inMs: (time: string) => string;
  /** The time of `begun_at` from milliseconds since 1970. */
  readonly fromMs: (ms: string) => string;
  /** A condition that is always true. A commit is on the disk before it is acknowledged. */
  readonly durable: string;
}

export type StatementName = keyof ReturnType<typeof statementsFor>;

/** The names of the values in a statement, each once. */
export const parametersOf = (sql: string): string[] => [
  ...new Set(Array.from(sql.matchAll(/\$(\w+)/g), ([, name = ""]) => name)),
];

/** What an attempt overwrites in a record that has expired. */
const REPLACE = [
  ...["version", "state", "begun_at", "lease_from", ...ATTEMPT_COLUMNS].map(
    (column) => `${column} = excluded.${column}`,
  ),
  "result = NULL",
  "keep_until = NULL",
].join(", ");

/** The conditions and columns that several statements share. */
function partsFor({ now, later, inMs }: Dialect) {
  /** Whether the lease has been over for that time. If the clock was set back, the lease begins again. */
  const isLeaseOverFor = (ms: number) =>
    `lease_from <= ${now.lease} AND ${later("lease_from", `(lease_ms + ${ms})`)} <= ${now.lease}`;
  const state = `CASE WHEN state = 'in_flight' AND ${isLeaseOverFor(0)} THEN 'unknown' ELSE state END`;
  const columns = COLUMNS.filter((column) => column !== "begun_at").join(", ");
  return {
    state,
    record: `key, ${columns}, ${inMs("begun_at")} AS begun_at,
      CASE WHEN lease_from > ${now.lease} THEN 0 ELSE ${inMs(`(${now.lease} - lease_from)`)} END AS elapsed_ms,
      CASE WHEN lease_from > ${now.lease} THEN 1 ELSE 0 END AS is_behind`,
    isOwned: `key = $key AND owner = $owner AND version = ${RECORD_VERSION}`,
    isResolvable: `key = $key AND version = ${RECORD_VERSION} AND scope = $scope
      AND ${state} = 'unknown' AND owner = coalesce($owner, owner)`,
    isFreeable: isLeaseOverFor(LEASE_MARGIN_MS),
    keepUntil: later(now.retention, "$retention"),
  };
}

/**
 * One statement for each operation: both databases make each atomic and durable. PostgreSQL needs no state
 * of a session for them, so a pooler may give each one another connection. Statements that a caller
 * has to know the effect of return the key that they changed.
 */
export function statementsFor(dialect: Dialect) {
  const { table, now, fromMs, durable } = dialect;
  const { state, record, isOwned, isResolvable, isFreeable, keepUntil } = partsFor(dialect);
  // One condition of unknown likelihood: of each `=`, PostgreSQL without statistics expects that few records have it,
  // and would read and sort all records instead of the first ones of an index.
  const listWhere = (condition: string) => `
    SELECT ${record} FROM ${table} AS stored
    WHERE (begun_at, key) > (${fromMs("$after_at")}, $after_key) ${condition}
      AND CASE WHEN version = ${RECORD_VERSION} AND scope = $scope
        AND (keep_until IS NULL OR keep_until > ${now.retention})
        AND ($state IS NULL OR ${state} = $state)
        AND ($parameters IS NULL OR parameters = $parameters)
        AND ($amount IS NULL OR amount = $amount)
        AND ($phone IS NULL OR phone = $phone)
      THEN true ELSE false END
    ORDER BY stored.begun_at, stored.key LIMIT $count`;
  return {
    begin: `
    INSERT INTO ${table} AS stored
      (key, version, state, begun_at, lease_from, ${ATTEMPT_COLUMNS.join(", ")})
    SELECT $key, ${RECORD_VERSION}, 'in_flight', ${now.wall}, ${now.lease},
      ${ATTEMPT_COLUMNS.map((column) => `$${column}`).join(", ")}
    WHERE ${durable}
    ON CONFLICT (key) DO UPDATE SET ${REPLACE}
      WHERE stored.keep_until <= ${now.retention} AND stored.version = ${RECORD_VERSION}
    RETURNING key`,
    // Of another version too: only the version that wrote it knows when it expires.
    read: `
    SELECT ${record} FROM ${table} WHERE key = $key
      AND (keep_until IS NULL OR keep_until > ${now.retention} OR version <> ${RECORD_VERSION})`,
    finish: `
    UPDATE ${table} SET state = $state, result = $result,
      keep_until = CASE WHEN $state = 'succeeded' THEN ${keepUntil} END
    WHERE ${isOwned} AND ${durable}`,
    forget: `DELETE FROM ${table} WHERE ${isOwned} AND ${durable}`,
    // A resolved record has no owner, so that its old owner cannot change it later.
    resolve: `
    UPDATE ${table}
    SET state = 'succeeded', result = $result, keep_until = ${keepUntil}, owner = ''
    WHERE ${isResolvable} AND ${durable}
    RETURNING key`,
    free: `DELETE FROM ${table} WHERE ${isResolvable} AND ${isFreeable} AND ${durable} RETURNING key`,
    // The clock of leases was set back since: a lease lasts no longer than its own length from here.
    restartLease: `
    UPDATE ${table} SET lease_from = ${now.lease}
    WHERE key = $stored_key AND lease_from > ${now.lease} AND version = ${RECORD_VERSION} AND ${durable}`,
    list: listWhere(""),
    // Their own statements, so that they use an index: every event of a payment asks for these.
    listOpen: listWhere("AND state IN ('in_flight', 'unknown')"),
    listFor: listWhere("AND account_reference = $account_reference"),
  };
}
