import { sleep } from "../../internal/timeout.ts";

export const LOCK_RETRY_MS = 25;

/** How long an operation waits for a file that another process has locked. */
export const MAX_LOCKED_MS = 5_000;

// https://www.sqlite.org/rescode.html: SQLITE_BUSY and SQLITE_LOCKED. The lowest byte of an extended
// code is the primary one.
const LOCK_CODES = [5, 6];

/** Whether another process has the file locked. The statement has changed nothing. */
export function isLocked(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === "ERR_SQLITE_ERROR" && LOCK_CODES.includes(Number(errcode) & 0xff);
}

/** Why a file that stayed locked cannot be used, and what to do. @param error - One of {@link isLocked}. */
export function lockedReason(error: unknown): string {
  const { isOwnTransaction } = error as { isOwnTransaction?: unknown };
  const [who, find] =
    isOwnTransaction === true
      ? [
          "this process has had a transaction open on the same connection",
          "Find where it begins a transaction, and commit it or roll it back in each case",
        ]
      : [
          "another connection has had it locked",
          "Find the process that holds a transaction open on the file, and end it",
        ];
  return `${who} for ${MAX_LOCKED_MS / 1_000} s. ${find}.`;
}

/**
 * Tries again while another process has the file locked, up to the deadline by `performance.now()`.
 * Other work of this process goes on. The work must have changed nothing when it throws.
 */
export async function whenUnlocked<T>(
  work: () => T,
  deadline: number = performance.now() + MAX_LOCKED_MS,
): Promise<T> {
  for (; ; await sleep(LOCK_RETRY_MS * (1 + Math.random()))) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() >= deadline) throw error;
    }
  }
}
