import { hasCode } from "../error-codes.ts";
import { ADDRESS_ERRORS, explainedBy, type KnownError } from "../known-errors.ts";

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
export function grantTo(user: string, database: string): string {
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
