// What malipo says about a server: its errors, its settings, and the rights of its user.
import { type Component, metaOf, tableSql } from "../component.ts";
import type { Dialect } from "../dialect.ts";
import { hasCode } from "../error-codes.ts";
import { ADDRESS_ERRORS, explainedBy, type KnownError } from "../known-errors.ts";
import type { RunStatement } from "../server-tables.ts";
import { statement } from "../sql-steps.ts";
import { type PositionalStatement, positional } from "./mysql-dialect.ts";

/** What malipo says about an error, by its code: https://mariadb.com/kb/en/mariadb-error-codes/ */
const MYSQL_ERRORS: readonly KnownError[] = [
  {
    codes: ["ER_ACCESS_DENIED_ERROR", "ER_ACCOUNT_HAS_BEEN_LOCKED", "ER_SECURE_TRANSPORT_REQUIRED"],
    advice:
      'The server rejects this user, its password, or a connection without TLS. Correct the user and the password in the address, or add ?ssl={"rejectUnauthorized":true} to it.',
  },
  {
    codes: ["ER_BAD_DB_ERROR"],
    advice:
      "This database does not exist. Create it with CREATE DATABASE, or correct the name at the end of the address.",
  },
  {
    codes: ["ER_DBACCESS_DENIED_ERROR", "ER_TABLEACCESS_DENIED_ERROR"],
    advice: `This user lacks a right. Run as an administrator: ${grantTo("the_user", "the_database")}`,
  },
  {
    codes: ["ER_HOST_NOT_PRIVILEGED", "ER_HOST_IS_BLOCKED"],
    advice:
      "The server does not let this machine in. Create the user for this host, and run FLUSH HOSTS if it was blocked.",
  },
  {
    codes: ["HANDSHAKE_NO_SSL_SUPPORT"],
    advice:
      "This server does not take TLS. Remove `ssl` from the address, or switch TLS on at the server.",
  },
  {
    codes: ["ER_CON_COUNT_ERROR", "ER_TOO_MANY_USER_CONNECTIONS", "ER_USER_LIMIT_REACHED"],
    heals: true,
    advice:
      "All connections of the server or of this user are in use. Raise `max_connections` of the server, or lower `connectionLimit` of the pools.",
  },
  {
    codes: ["ER_OPTION_PREVENTS_STATEMENT"],
    heals: true,
    advice: "This server is read-only. Use the address of the server that takes writes.",
  },
  {
    codes: ["ER_PARSE_ERROR", "ER_BAD_FIELD_ERROR", "ER_UNKNOWN_COLLATION"],
    advice:
      "The server does not know a statement of malipo, or something else has changed the tables. Use MariaDB 10.6 or MySQL 8.0.17, or a later version, and leave the tables as db.sql() makes them.",
  },
  ...ADDRESS_ERRORS,
];

/** The rights that malipo needs, as the SQL that grants them. */
function grantTo(user: string, database: string): string {
  return `GRANT CREATE, INDEX, ALTER, SELECT, INSERT, UPDATE, DELETE ON ${database}.* TO ${user}. Or run the SQL that db.sql() prints as another user, and grant this one SELECT, INSERT, UPDATE and DELETE.`;
}

/** The error for the user, with what to do. @param what - What malipo wanted to do. */
export const explained = (what: string, error: unknown): unknown =>
  explainedBy(MYSQL_ERRORS, `mysql cannot ${what}`, error);

/** Whether the user lacks a right on a database that he may use. */
export const lacksRight = (error: unknown): boolean =>
  hasCode(error, ["ER_TABLEACCESS_DENIED_ERROR"]);

/**
 * How often a transaction is run again, by the error: another transaction was in the way. After a deadlock, the server
 * has rolled it back. After a wait for a lock, which takes 50 s by default, it is rolled back by us.
 */
const AGAIN: Readonly<Record<string, number>> = { ER_LOCK_DEADLOCK: 5, ER_LOCK_WAIT_TIMEOUT: 1 };

export const isAgain = (error: unknown, times: number): boolean =>
  Object.entries(AGAIN).some(([code, most]) => times <= most && hasCode(error, [code]));

/** Whether another transaction has taken a unique value: the same statement would fail again. */
export const isTaken = (error: unknown): boolean => hasCode(error, ["ER_DUP_ENTRY"]);

/** Whether a savepoint is not there any more: its transaction has ended. */
export const isSavepointGone = (error: unknown): boolean =>
  hasCode(error, ["ER_SP_DOES_NOT_EXIST", 1305, "1305"]);

/** Whether an index or a column is there already. */
export const isThere = (error: unknown): boolean =>
  hasCode(error, ["ER_DUP_KEYNAME", "ER_DUP_FIELDNAME"]);

/** Whether a lock was waited for as long as `lock_wait_timeout` allows. */
export const isLocked = (error: unknown): boolean => hasCode(error, ["ER_LOCK_WAIT_TIMEOUT"]);

/** Whether a table or its database is gone. */
export const isTableMissing = (error: unknown): boolean =>
  hasCode(error, ["ER_NO_SUCH_TABLE", "ER_BAD_DB_ERROR"]);

/** The variables of the server for this connection, by their names, and the name of its `database`. */
type Settings = ReadonlyMap<string, string>;

const OLDEST = { MariaDB: [10, 6, 0], MySQL: [8, 0, 17] } as const;

/** What this server is, if it is too old. */
function tooOld(version: string): string | undefined {
  const name = /mariadb/i.test(version) ? "MariaDB" : "MySQL";
  // A proxy may write 5.5.5- before the version of a MariaDB.
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})/.exec(version.replace(/^5\.5\.5-/, ""));
  const [, ...parts] = found ?? [];
  const oldest = OLDEST[name];
  const at = oldest.findIndex((part, n) => Number(parts[n]) !== part);
  if (at === -1 || Number(parts[at]) > (oldest[at] ?? 0)) return undefined;
  return `This is ${name} ${version}. Use MariaDB ${OLDEST.MariaDB.join(".")}, MySQL ${OLDEST.MySQL.join(".")}, or a later version.`;
}

const isOn = (value = ""): boolean => /^(?:1|ON)$/i.test(value);
const list = (value = ""): string[] => value.toUpperCase().split(",");

/** Settings with which statements would do something else than they say. */
const PROBLEMS: readonly ((settings: Settings) => string | undefined | false)[] = [
  (all) =>
    all.get("database") === "" &&
    "The address names no database. Add its name at the end: mysql://localhost/shop.",
  (all) => tooOld(all.get("version") ?? ""),
  (all) =>
    !list(all.get("sql_mode")).some((mode) => mode.startsWith("STRICT_")) &&
    "The `sql_mode` of this connection is not strict, so the server would cut off what is too long. Add STRICT_TRANS_TABLES to it.",
  (all) =>
    list(all.get("sql_mode")).includes("NO_BACKSLASH_ESCAPES") &&
    "The `sql_mode` of this connection has NO_BACKSLASH_ESCAPES, for which mysql2 does not quote texts. Take it out.",
  (all) =>
    !isOn(all.get("autocommit")) &&
    "This connection has `autocommit = 0`, so what is written would not be committed. Set autocommit = 1.",
  (all) =>
    ["character_set_client", "character_set_connection", "character_set_results"].some(
      (name) => all.get(name) !== "utf8mb4",
    ) &&
    'The character set of this connection is not utf8mb4, so names would be changed. Make the pool with charset: "utf8mb4".',
  (all) =>
    isOn(all.get("log_bin")) &&
    all.get("binlog_format")?.toUpperCase() === "STATEMENT" &&
    "This server has `binlog_format = STATEMENT`, with which it rejects transactions that read what others have committed. Set binlog_format = ROW or MIXED.",
];

/** Settings with which this server can lose what it has acknowledged, or refuse it. */
const RISKS: readonly ((settings: Settings) => string | undefined | false)[] = [
  (all) =>
    all.get("innodb_flush_log_at_trx_commit") !== "1" &&
    "This server loses what it acknowledged when it crashes: `innodb_flush_log_at_trx_commit` is not 1. Set `innodb_flush_log_at_trx_commit = 1`.",
  // Which transactions were committed is read from the binary log then.
  (all) =>
    isOn(all.get("log_bin")) &&
    all.get("sync_binlog") !== "1" &&
    "This server loses what it acknowledged when its machine crashes: it has a binary log, and `sync_binlog` is not 1. Set `sync_binlog = 1`.",
  (all) =>
    /^(?:0|OFF)$/i.test(all.get("innodb_doublewrite") ?? "") &&
    "This server can lose its tables when its machine crashes: `innodb_doublewrite` is off. Set `innodb_doublewrite = ON`.",
  (all) =>
    Number(all.get("max_allowed_packet")) < 4 * 1_024 * 1_024 &&
    "This server takes no statement above `max_allowed_packet`, which is less than 4 MB: an event may be larger. Set `max_allowed_packet = 16M`.",
  // Locks of rows, those of GET_LOCK, and what was read are of one node: https://mariadb.com/kb/en/mariadb-galera-cluster-known-limitations/
  (all) =>
    isOn(all.get("wsrep_on")) &&
    !/^(?:none)?$/i.test(all.get("wsrep_provider") ?? "") &&
    "This server is a node of a Galera cluster, whose nodes do not share locks: with processes on two nodes, a phone may get two prompts. Connect all processes to the same node.",
];

const found = (rows: typeof RISKS, settings: Settings): string[] =>
  rows.flatMap((row) => row(settings) || []);

/** What must be changed before anything can be stored. `undefined` if nothing must. */
export const settingsProblem = (settings: Settings): string | undefined =>
  found(PROBLEMS, settings)[0];

/** One sentence for each setting that should be changed. */
export const settingsRisks = (settings: Settings): string[] => found(RISKS, settings);

type Run = RunStatement<PositionalStatement>;

const GRANTS: PositionalStatement = { text: "SHOW GRANTS", names: [], kind: "query" };
const WHO = positional(statement("SELECT DATABASE() AS name, CURRENT_USER() AS account"));

/** Who the user is, and the SQL that grants what he may lack. */
export async function userOf(run: Run) {
  const [row] = (await run(WHO, [])).rows;
  const [name, host] = String(row?.account).split(/@(?=[^@]*$)/);
  const account = `'${name}'@'${host}'`;
  const database = String(row?.name);
  const advice = `Run as an administrator: ${grantTo(account, `\`${database}\``)}`;
  return { account, database, advice };
}

/** Statements that change nothing, and fail without the right to change something. */
export async function tryRights(run: Run, dialect: Dialect, component: Component): Promise<void> {
  const made = tableSql(dialect, component).join("\n");
  const tables = made.matchAll(/^CREATE TABLE IF NOT EXISTS (\S+)\s*\(\s*(\S+)/gm);
  const statements = [
    `UPDATE ${metaOf(dialect, component)} SET value = value WHERE 1 = 0`,
    ...Array.from(tables).flatMap(([, table, column]) => [
      // Not of all columns: MySQL writes none that it computes. With IGNORE, the others need no default.
      `INSERT IGNORE INTO ${table} (${column}) SELECT ${column} FROM ${table} WHERE 1 = 0`,
      `DELETE FROM ${table} WHERE 1 = 0`,
    ]),
  ];
  for (const text of statements) await run(positional(statement(text)), []);
}

/** Whether the pattern of a grant, such as `shop\_%`, is for this database. */
function isFor(pattern: string, database: string): boolean {
  const parts = pattern.match(/\\.|[^\\]/gs) ?? [];
  const text = parts.map((part) => {
    if (part === "%") return ".*";
    if (part === "_") return ".";
    return part.slice(-1).replace(/[^\p{L}\p{N}]/u, "\\$&");
  });
  // Whether names of one spelling are the same database depends on the server.
  return new RegExp(`^${text.join("")}$`, "is").test(database);
}

/** The rights on all tables of a database that a line of SHOW GRANTS names: GRANT SELECT, INSERT ON `shop`.* TO ... */
function rightsIn(line: string, database: string): string[] {
  const on = line.indexOf(" ON ");
  const target = line.slice(on + " ON ".length, line.lastIndexOf(" TO "));
  const isOfAll = target.endsWith(".*") && isFor(target.slice(1, -3), database);
  return isOfAll || target === "*.*" ? line.slice("GRANT ".length, on).split(", ") : [];
}

/**
 * Whether a user may make tables, by the lines of SHOW GRANTS; `true` if they do not say it, since a role may have the right.
 *
 * @see https://mariadb.com/kb/en/show-grants/
 */
export function mayMakeTables(grants: readonly string[], database: string): boolean {
  if (grants.some((line) => !line.includes(" ON "))) return true;
  const rights = grants.flatMap((line) => rightsIn(line, database));
  return (
    rights.includes("ALL PRIVILEGES") ||
    ["CREATE", "INDEX", "ALTER"].every((one) => rights.includes(one))
  );
}

/** What the user is to be granted to make tables, in a sentence; `undefined` if nothing. */
export async function missingRightToMake(run: Run): Promise<string | undefined> {
  const { rows } = await run(GRANTS, []);
  const { account, database, advice } = await userOf(run);
  const grants = rows.map((row) => String(Object.values(row)[0]));
  if (mayMakeTables(grants, database)) return undefined;
  return `mysql: The user ${account} lacks the right to make tables. ${advice}`;
}
