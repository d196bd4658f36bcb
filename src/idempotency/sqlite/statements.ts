import { metaSql } from "../../storage/sqlite/meta.ts";
import { RECORD_VERSION, STORE_FORMAT } from "../format.ts";
import { statementsFor } from "../sql/statements.ts";

export const TABLE = "malipo_idempotency";
export const META = "malipo_idempotency_meta";

/**
 * `begun_at` is on the wall clock, `keep_until` on the retention clock. `lease_from` is on the clock
 * that counts from the start of the machine, which all its processes share and which cannot be set.
 */
const CREATE = `
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
    ON malipo_idempotency (keep_until) WHERE keep_until IS NOT NULL`;

/** What makes the tables where there are none, as SQL for a user who runs it himself. */
export const TABLE_SQL: string = [...metaSql(META, STORE_FORMAT), CREATE].join(";\n");

export const STATEMENTS = {
  ...statementsFor({
    table: TABLE,
    now: { wall: "$wall", lease: "$uptime", retention: "$now" },
    later: (time, ms) => `${time} + ${ms}`,
    inMs: (time) => time,
    fromMs: (ms) => ms,
    // By `synchronous=FULL` of the connection.
    durable: "true",
  }),
  dropExpired: `
    DELETE FROM malipo_idempotency WHERE key IN (
      SELECT key FROM malipo_idempotency
      WHERE keep_until <= $now AND version = ${RECORD_VERSION} LIMIT 20
    )
  `,
} as const;
