import { hasCode } from "../error-codes.ts";
import { ADDRESS_ERRORS, explainedBy, type KnownError } from "../known-errors.ts";

/** What malipo says about an error, by its code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES_ERRORS: readonly KnownError[] = [
  ...ADDRESS_ERRORS,
  {
    codes: ["28P01"],
    text: /client password must be a string/,
    advice:
      "PostgreSQL rejects the password of this role, or got none. Correct the role and the password in the address.",
  },
  {
    codes: ["28000"],
    advice:
      "PostgreSQL does not let this role in from here. Correct the role in the address. If its connections must use TLS, add ?sslmode=verify-full to the address. Otherwise, let a line of pg_hba.conf admit it.",
  },
  {
    codes: [],
    text: /does not support SSL connections/,
    advice:
      "This server does not take TLS. Remove `sslmode` from the address, or switch TLS on at the server: ssl = on.",
  },
  {
    codes: ["3D000"],
    advice:
      "There is no such database. Run CREATE DATABASE, or correct the name at the end of the address.",
  },
  {
    codes: ["42501", "3F000"],
    advice:
      "This role lacks a right. Run as the owner of the database: GRANT CONNECT, CREATE ON DATABASE the_database TO the_role.",
  },
  {
    codes: ["53300"],
    heals: true,
    advice:
      "All connections of the server or of this role are in use. Raise `max_connections` of the server, or lower `max` of the pools.",
  },
  {
    codes: ["25006"],
    heals: true,
    advice: "This server takes no writes, as a standby. Use the address of the server that does.",
  },
  {
    codes: ["42601", "42704", "42883", "42703", "0A000"],
    advice:
      "The server does not know a statement of malipo, or something else has changed the tables. Use PostgreSQL 10 or later, and leave the tables as db.sql() makes them.",
  },
];

/** The error for the user, with what to do. @param what - What malipo wanted to do. */
export const explained = (what: string, error: unknown): unknown =>
  explainedBy(POSTGRES_ERRORS, `postgres cannot ${what}`, error);

/** Whether the role lacks a right. */
export const lacksRight = (error: unknown): boolean => hasCode(error, ["42501", "3F000"]);

/**
 * Whether another transaction was in the way (a deadlock, or a unique value that it has taken), and this one changed
 * nothing: it may be run again.
 */
export const isInTheWay = (error: unknown): boolean => hasCode(error, ["40P01", "40001", "23505"]);

/** Whether a table or its schema is gone. */
export const isTableMissing = (error: unknown): boolean => hasCode(error, ["42P01", "3F000"]);

/** Whether a lock was waited for as long as `lock_timeout` allows. */
export const isLocked = (error: unknown): boolean => hasCode(error, ["55P03"]);

/** https://www.postgresql.org/docs/10/sql-createtable.html: the first version with `GENERATED ALWAYS AS IDENTITY`. */
const OLDEST = 10;

/** What is wrong with a version, such as "9.6.24"; `undefined` if nothing is. */
export function tooOld(version: string): string | undefined {
  const major = Number(/^\d{1,3}/.exec(version)?.[0] ?? OLDEST);
  if (major >= OLDEST) return undefined;
  return `This is PostgreSQL ${version}. Use PostgreSQL ${OLDEST} or later.`;
}
