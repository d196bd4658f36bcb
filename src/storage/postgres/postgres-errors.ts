import { ConfigurationError } from "../../errors/configuration.ts";
import { describeError } from "../../internal/describe-error.ts";

const codeOf = (error: unknown): string => {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return String(code ?? cause?.code ?? "");
};

/** What waiting cannot heal, by the code of PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const HOPELESS: Readonly<Record<string, string>> = {
  "28P01":
    "PostgreSQL rejects the password of this user. Correct the user and the password in the address.",
  "28000":
    "PostgreSQL does not let this user in from here, or not without TLS. Add `?sslmode=require` to the address, or a line for this host to pg_hba.conf.",
  "3D000": "This database does not exist. Create it with CREATE DATABASE, or correct the address.",
  "42501":
    "This role may not make or use the tables. Run the SQL that db.sql() prints as a role that may, and grant this role their use.",
  "3F000":
    "The schema does not exist, and this role may not make it. Run the SQL that db.sql() prints.",
};

/** The error for the user, if waiting cannot heal it; the same error otherwise. @param what - What malipo wanted to do. */
export function explained(what: string, error: unknown): unknown {
  const code = codeOf(error);
  const isTls = error instanceof Error && /does not support SSL connections/.test(error.message);
  const reason = isTls
    ? "This server does not take TLS. Remove `sslmode` from the address, or switch TLS on at the server."
    : HOPELESS[code];
  if (reason === undefined) return error;
  return new ConfigurationError(`postgres cannot ${what} (${describeError(error)}). ${reason}`, {
    cause: error,
  });
}

/**
 * Whether another transaction was in the way (a deadlock, or a unique value that it has taken), and this one changed
 * nothing: it may be run again.
 */
export const isInTheWay = (error: unknown): boolean =>
  ["40P01", "40001", "23505"].includes(codeOf(error));

/** Whether a table or its schema is gone. */
export const isTableMissing = (error: unknown): boolean =>
  ["42P01", "3F000"].includes(codeOf(error));
