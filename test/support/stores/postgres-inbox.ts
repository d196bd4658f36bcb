import type pg from "pg";
import { poolFor } from "../../../src/storage/postgres/pool.ts";
import { PostgresRoom } from "../../../src/storage/postgres/postgres-room.ts";
import type { Transact } from "../../../src/storage/try-transact.ts";
import type { SqlInbox } from "../../../src/webhooks/inbox/sql/inbox.ts";
import { type RoomInboxOptions, roomInbox } from "./room-inbox.ts";

/** How an inbox in PostgreSQL is opened. */
export interface PostgresInboxOptions extends RoomInboxOptions {
  readonly connectionString?: string | undefined;
  readonly pool?: pg.Pool | undefined;
  readonly schema?: string | undefined;
  readonly transact?: Transact | undefined;
}

export function postgresInbox(options: PostgresInboxOptions): SqlInbox {
  const { schema = "malipo_checkout", transact } = options;
  const pool = poolFor(options.connectionString, options.pool);
  const isOwnPool = options.pool === undefined;
  const room = new PostgresRoom({ pool, isOwnPool, schema, transact, now: undefined });
  return roomInbox(room, options);
}
