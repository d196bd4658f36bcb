const MAX_CAUSES = 5;

/**
 * Whether an error says that a statement of the transaction has failed before: PostgreSQL keeps nothing of it. A library may
 * wrap the error of its connection.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html: in_failed_sql_transaction
 */
export function isAborted(error: unknown): boolean {
  let cause = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    if (cause?.code === "25P02") return true;
    cause = cause?.cause as typeof cause;
  }
  return false;
}
