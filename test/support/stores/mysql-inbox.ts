import type mysql from "mysql2/promise";
import { MysqlRoom } from "../../../src/storage/mysql/mysql-room.ts";
import type { Transact } from "../../../src/storage/try-transact.ts";
import type { SqlInbox } from "../../../src/webhooks/inbox/sql/inbox.ts";
import { type RoomInboxOptions, roomInbox } from "./room-inbox.ts";

/** How an inbox in MySQL or MariaDB is opened. */
export interface MysqlInboxOptions extends RoomInboxOptions {
  readonly transact?: Transact | undefined;
}

/** @param source - The address of a database, or a pool, which stays open. */
export function mysqlInbox(source: string | mysql.Pool, options: MysqlInboxOptions = {}): SqlInbox {
  const { transact } = options;
  const room = new MysqlRoom({ source, transact, now: undefined });
  return roomInbox(room, options);
}
