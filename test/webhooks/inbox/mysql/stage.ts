import mysql, { type RowDataPacket } from "mysql2/promise";
import { MysqlRoom } from "../../../../src/storage/mysql/mysql-room.ts";
import { INBOX } from "../../../../src/webhooks/inbox/tables.ts";
import type { Engine } from "../../../support/engines/engine.ts";

/** Leases last a second or two, and retries come at once. */
export const pace = {
  leaseMs: 1_500,
  backoffMs: () => 0,
  engineTimeoutMs: 4_000,
  minRetentionMs: 1,
  maintenanceMs: 500,
};

/** The names of an inbox's tables. */
export const TABLES = {
  events: "malipo_inbox",
  conflicts: "malipo_inbox_conflicts",
  doubles: "malipo_inbox_double_payments",
  meta: "malipo_inbox_meta",
};

/** Runs a statement on a separate connection. */
export async function query(url: string, text: string, values: unknown[] = []) {
  const connection = await mysql.createConnection(url);
  const [rows] = await connection.query<RowDataPacket[]>(text, values);
  await connection.end();
  return rows;
}

/** Makes the tables of an inbox. */
export async function makeTables(url: string): Promise<void> {
  const room = new MysqlRoom({ source: url, transact: undefined, now: undefined });
  await room.tables(INBOX).open();
  await room.close();
}

/** The address of an empty database of the server. @param name - Of the database; the same again if it is there. */
export async function freshDatabase(
  { url }: Pick<Engine, "url">,
  name = `inbox_${crypto.randomUUID().replaceAll("-", "_")}`,
): Promise<string> {
  await query(url, `CREATE DATABASE IF NOT EXISTS \`${name}\``);
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}
