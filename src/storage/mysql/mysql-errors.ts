import { ConfigurationError } from "../../errors/configuration.ts";
import { describeError } from "../../internal/describe-error.ts";
import { hasCode } from "../error-codes.ts";

/** What waiting cannot heal, by the code: https://mariadb.com/kb/en/mariadb-error-codes/ */
const HOPELESS: Readonly<Record<string, string>> = {
  ER_ACCESS_DENIED_ERROR:
    "The server rejects this user or its password. Correct them in the address.",
  ER_BAD_DB_ERROR:
    "This database does not exist. Create it with CREATE DATABASE, or correct the address.",
  ER_DBACCESS_DENIED_ERROR:
    "This user may not use this database. Grant it SELECT, INSERT, UPDATE and DELETE on it.",
  ER_TABLEACCESS_DENIED_ERROR:
    "This user may not make or use the tables. Run the SQL that db.sql() prints as a user who may, and grant this user SELECT, INSERT, UPDATE and DELETE on them.",
  ER_HOST_NOT_PRIVILEGED: "The server does not let this machine in. Create the user for this host.",
  HANDSHAKE_NO_SSL_SUPPORT:
    "This server does not take TLS. Remove `ssl` from the address, or switch TLS on at the server.",
  ER_OPTION_PREVENTS_STATEMENT:
    "This server is read-only. Use the address of the one that takes writes.",
};

/** The error for the user, if waiting cannot heal it; the same error otherwise. @param what - What malipo wanted to do. */
export function explained(what: string, error: unknown): unknown {
  const [, reason] = Object.entries(HOPELESS).find(([code]) => hasCode(error, [code])) ?? [];
  if (reason === undefined || error instanceof ConfigurationError) return error;
  return new ConfigurationError(`mysql cannot ${what} (${describeError(error)}). ${reason}`, {
    cause: error,
  });
}

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

/** Whether an index is there already. */
export const isThere = (error: unknown): boolean => hasCode(error, ["ER_DUP_KEYNAME"]);

/** Whether a table or its database is gone. */
export const isTableMissing = (error: unknown): boolean =>
  hasCode(error, ["ER_NO_SUCH_TABLE", "ER_BAD_DB_ERROR"]);
