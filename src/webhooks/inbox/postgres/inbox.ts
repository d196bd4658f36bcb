import type pg from "pg";
import {
  checkFunction,
  checkOptions,
  checkText,
  type OptionRows,
  optional,
} from "../../../internal/check-options.ts";
import { waitAtMost } from "../../../internal/timeout.ts";
import { checkNameLength } from "../../../storage/postgres/name-length.ts";
import { poolFor } from "../../../storage/postgres/pool.ts";
import { PostgresRoom } from "../../../storage/postgres/postgres-room.ts";
import type { Transact } from "../../../storage/postgres/transact.ts";
import { alreadyStarted } from "../errors.ts";
import type { Inbox } from "../inbox-types.ts";
import { DEFAULT_PACE, type Pace, retentionFor } from "../pace.ts";
import { type SqlInbox, sqlInbox } from "../sql/inbox.ts";
import { INBOX } from "../tables.ts";

/** Options of an inbox in PostgreSQL. */
export interface PostgresInboxOptions {
  /** The address of the database, or a pool of `pg`: exactly one of them. */
  readonly connectionString?: string | undefined;
  readonly pool?: pg.Pool | undefined;
  /**
   * The schema of the tables, in double quotes if its name needs them.
   * @default "malipo_checkout"
   */
  readonly schema?: string | undefined;
  /**
   * How long processed events are remembered, in milliseconds: at least one day, at most 68 years.
   * @default 14 days
   */
  readonly retentionMs?: number | undefined;
  /** Runs a transaction of your client, which a handler's `transaction` then passes on. */
  readonly transact?: Transact | undefined;
  /** @internal */
  readonly pace?: Partial<Pace> | undefined;
}

/** How long a stop waits for the connections. */
const CLOSE_MS = 1_500;

const SCHEMA = /^([a-z_]\w*|"[^"]+")$/i;
const SCHEMA_EXPECTED = "the name of a schema, in double quotes if it needs them";

function checkSchema(schema = "malipo_checkout"): string {
  checkText("schema", schema, SCHEMA, SCHEMA_EXPECTED);
  checkNameLength("schema", schema.replaceAll('"', ""));
  return schema;
}

const OPTIONS = {
  connectionString: (url) => url,
  pool: (pool, { connectionString }) => poolFor(connectionString, pool),
  schema: checkSchema,
  retentionMs: (ms, { pace }) => retentionFor(ms, { ...DEFAULT_PACE, ...pace }),
  transact: (transact) =>
    optional(transact, (given) => {
      checkFunction("transact", given);
      return given;
    }),
  pace: (pace = {}) => ({ ...DEFAULT_PACE, ...pace }),
} satisfies OptionRows<PostgresInboxOptions>;

/**
 * Stores events in PostgreSQL, and processes them in any process on that database. A handler's `transaction` runs its own
 * writes and "processed" in one transaction. PgBouncer in transaction mode works.
 *
 * @throws {ConfigurationError} for an unknown option or a wrong value.
 */
export function postgresInbox(options: PostgresInboxOptions): SqlInbox {
  const own = checkOptions(options, OPTIONS, "postgresInbox");
  const { pool, schema, transact, retentionMs, pace } = own;
  const isOwnPool = options.pool === undefined;
  const room = new PostgresRoom({ pool, isOwnPool, schema, transact, now: undefined });
  const inbox = sqlInbox(room.tables(INBOX), { retentionMs, pace });
  let isStopped = false;
  const start: Inbox["start"] = async (worker) => {
    if (isStopped) throw alreadyStarted();
    await inbox.start(worker);
  };
  const stop: Inbox["stop"] = async (timeoutMs) => {
    isStopped = true;
    await inbox.stop(timeoutMs);
    await waitAtMost(room.close(), CLOSE_MS);
  };
  return { ...inbox, start, stop };
}
