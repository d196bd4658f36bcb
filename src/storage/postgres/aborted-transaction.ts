import { hasCode } from "../error-codes.ts";

// https://www.postgresql.org/docs/current/errcodes-appendix.html

/** Whether an error says that a statement of the transaction has failed before: PostgreSQL keeps nothing of it. */
export const isAborted = (error: unknown): boolean => hasCode(error, ["25P02"]);

/** Whether an error says that a savepoint is not there any more: its transaction has ended. */
export const isSavepointGone = (error: unknown): boolean => hasCode(error, ["3B001", "25P01"]);
