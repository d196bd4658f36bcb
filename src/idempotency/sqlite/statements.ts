import { ATTEMPT_COLUMNS, COLUMNS, listOf, REPLACE } from "../columns.ts";
import { LEASE_MARGIN_MS } from "../fence.ts";
import { STORE_FORMAT } from "../format.ts";

export const TABLE = "malipo_idempotency";
export const META = "malipo_idempotency_meta";

/**
 * `begun_at` is on the wall clock, `keep_until` on the retention clock. `lease_from` is on the clock
 * that counts from the start of the machine, which all its processes share and which cannot be set.
 */
export const CREATE = `
  CREATE TABLE malipo_idempotency (
    key TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    owner TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    base_url TEXT NOT NULL,
    scope TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    lease_from INTEGER NOT NULL,
    lease_ms INTEGER NOT NULL,
    parameters TEXT NOT NULL,
    account_reference TEXT,
    amount TEXT,
    phone TEXT,
    result TEXT,
    keep_until INTEGER
  ) STRICT;
  CREATE INDEX malipo_idempotency_begun_at ON malipo_idempotency (begun_at, key);
  CREATE INDEX malipo_idempotency_state ON malipo_idempotency (state, begun_at, key);
  CREATE INDEX malipo_idempotency_account_reference
    ON malipo_idempotency (account_reference, begun_at, key) WHERE account_reference IS NOT NULL;
  CREATE INDEX malipo_idempotency_keep_until
    ON malipo_idempotency (keep_until) WHERE keep_until IS NOT NULL;
`;

const STATE = `CASE WHEN state = 'in_flight' AND lease_from <= $uptime AND lease_from + lease_ms <= $uptime
  THEN 'unknown' ELSE state END`;

const RESOLVABLE = `key = $key AND version = ${STORE_FORMAT} AND scope = $scope
  AND ${STATE} = 'unknown' AND owner = coalesce($owner, owner)`;

const RECORD = `key, ${listOf(COLUMNS)},
  max(0, $uptime - lease_from) AS elapsed_ms, lease_from > $uptime AS is_behind`;

const listWhere = (condition: string) => `
    SELECT ${RECORD} FROM malipo_idempotency
    WHERE version = ${STORE_FORMAT} AND scope = $scope ${condition}
      AND (begun_at, key) > ($afterBegunAt, $afterKey)
      AND (keep_until IS NULL OR keep_until > $now)
      AND ${STATE} = coalesce($state, ${STATE})
      AND parameters = coalesce($parameters, parameters)
      AND ($amount IS NULL OR amount = $amount)
      AND ($phone IS NULL OR phone = $phone)
    ORDER BY begun_at, key LIMIT $count
  `;

// One statement for each operation: SQLite makes each atomic and, with synchronous=FULL, durable. A
// resolved record has no owner, so that its old owner cannot change it later.
export const STATEMENTS = {
  begin: `
    INSERT INTO malipo_idempotency
      (key, version, state, begun_at, lease_from, ${listOf(ATTEMPT_COLUMNS)})
    VALUES ($key, ${STORE_FORMAT}, 'in_flight', $wall, $uptime,
      ${ATTEMPT_COLUMNS.map((column) => `$${column}`).join(", ")})
    ON CONFLICT (key) DO UPDATE SET ${REPLACE}
      WHERE malipo_idempotency.keep_until <= $now
        AND malipo_idempotency.version = ${STORE_FORMAT}
  `,
  read: `SELECT ${RECORD} FROM malipo_idempotency WHERE key = $key`,
  finish: `
    UPDATE malipo_idempotency SET state = $state, result = $result, keep_until = $keepUntil
    WHERE key = $key AND owner = $owner AND version = ${STORE_FORMAT}
  `,
  forget: `
    DELETE FROM malipo_idempotency
    WHERE key = $key AND owner = $owner AND version = ${STORE_FORMAT}
  `,
  resolve: `
    UPDATE malipo_idempotency
    SET state = 'succeeded', result = $result, keep_until = $keepUntil, owner = ''
    WHERE ${RESOLVABLE}
  `,
  free: `
    DELETE FROM malipo_idempotency
    WHERE ${RESOLVABLE}
      AND lease_from <= $uptime AND lease_from + lease_ms + ${LEASE_MARGIN_MS} <= $uptime
  `,
  // The machine was started again since: a lease lasts no longer than its own length from here.
  restartLease: `
    UPDATE malipo_idempotency SET lease_from = $uptime
    WHERE key = $key AND lease_from > $uptime AND version = ${STORE_FORMAT}
  `,
  list: listWhere(""),
  // Their own statements, so that they use an index: every event of a payment asks for these.
  listOpen: listWhere("AND state IN ('in_flight', 'unknown')"),
  listFor: listWhere("AND account_reference = $account_reference"),
  dropExpired: `
    DELETE FROM malipo_idempotency WHERE key IN (
      SELECT key FROM malipo_idempotency
      WHERE keep_until <= $now AND version = ${STORE_FORMAT} LIMIT 20
    )
  `,
} as const;
