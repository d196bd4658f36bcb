import type pg from "pg";
import { waitAtMost } from "../../../src/internal/timeout.ts";
import { poolFor } from "../../../src/storage/postgres/pool.ts";
import { PostgresRoom } from "../../../src/storage/postgres/postgres-room.ts";
import type { Transact } from "../../../src/storage/postgres/transact.ts";
import { alreadyStarted } from "../../../src/webhooks/inbox/errors.ts";
import type { Inbox } from "../../../src/webhooks/inbox/inbox-types.ts";
import { DEFAULT_PACE, type Pace, retentionFor } from "../../../src/webhooks/inbox/pace.ts";
import { type SqlInbox, sqlInbox } from "../../../src/webhooks/inbox/sql/inbox.ts";
import { INBOX } from "../../../src/webhooks/inbox/tables.ts";

/** How an inbox in PostgreSQL is opened. */
export interface PostgresInboxOptions {
  readonly connectionString?: string | undefined;
  readonly pool?: pg.Pool | undefined;
  readonly schema?: string | undefined;
  readonly retentionMs?: number | undefined;
  readonly transact?: Transact | undefined;
  readonly pace?: Partial<Pace> | undefined;
}

/** How long a stop waits for the connections. */
const CLOSE_MS = 1_500;

/** An inbox on a room that nothing else uses: its stop closes the room. */
export function postgresInbox(options: PostgresInboxOptions): SqlInbox {
  const { schema = "malipo_checkout", transact } = options;
  const pace = { ...DEFAULT_PACE, ...options.pace };
  const pool = poolFor(options.connectionString, options.pool);
  const isOwnPool = options.pool === undefined;
  const room = new PostgresRoom({ pool, isOwnPool, schema, transact, now: undefined });
  const retentionMs = retentionFor(options.retentionMs, pace);
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
