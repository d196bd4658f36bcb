import { TimeoutError } from "../../errors/connection.ts";
import { linkedController } from "../../internal/linked-controller.ts";
import type { Semaphore } from "../../internal/semaphore.ts";

/** How many reads of one gateway's waits are under way at most: a burst of waits must not be a flood. */
export const MAX_READS = 100;

/**
 * Reads as soon as fewer than 100 reads are under way, first come, first served.
 *
 * @throws {TimeoutError} if the turn does not come in `leftMs`. Nothing was sent.
 * @throws the reason of the signal, if it aborts before the turn.
 */
export async function readInTurn<T>(
  turns: Semaphore,
  read: () => Promise<T>,
  leftMs: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { controller, unlink } = linkedController(signal);
  const message = `The payment was not read: ${MAX_READS} reads of this gateway were under way for ${Math.round(leftMs)} ms. Wait for fewer payments at a time, or raise \`waitMs\`.`;
  const noTurn = () => controller.abort(new TimeoutError(message, "not_sent", leftMs));
  const timer = setTimeout(noTurn, leftMs);
  try {
    return await turns.use(controller.signal, read);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}
