const MAX_DEPTH = 6;

/** Whether an error, or one that a library has wrapped in any of its fields, has one of some codes of PostgreSQL. */
function hasCode(error: unknown, codes: readonly string[], depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > MAX_DEPTH) return false;
  const { cause } = error as { cause?: unknown };
  return [...Object.values(error), cause].some(
    (one) => codes.includes(one as string) || hasCode(one, codes, depth + 1),
  );
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html

/** Whether an error says that a statement of the transaction has failed before: PostgreSQL keeps nothing of it. */
export const isAborted = (error: unknown): boolean => hasCode(error, ["25P02"]);

/** Whether an error says that a savepoint is not there any more: its transaction has ended. */
export const isSavepointGone = (error: unknown): boolean => hasCode(error, ["3B001", "25P01"]);
