import { sleep, waitAtMost } from "../internal/timeout.ts";

const MAX_TRIES = 3;
const RETRY_DELAY_MS = 100;
const MAX_WAIT_MS = 1_000;

async function writeWithRetries(write: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch {
      if (tries === MAX_TRIES) return;
      await sleep(RETRY_DELAY_MS * tries);
    }
  }
}

/**
 * Writes to a store, and stops trying after three failures. Waits one second at most; the write goes on
 * after that. Never rejects: a store that fails now must not cost the caller the result, and a record
 * that could not be written becomes unknown when its lease is over.
 */
export async function writeBestEffort(write: () => Promise<void>): Promise<void> {
  await waitAtMost(writeWithRetries(write), MAX_WAIT_MS);
}
