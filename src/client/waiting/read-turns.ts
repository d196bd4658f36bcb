import { TimeoutError } from "../../errors/connection.ts";
import { linkedController } from "../../internal/linked-controller.ts";
import { Semaphore } from "../../internal/semaphore.ts";

/** How many reads of one gateway's waits are under way at most: a burst of waits must not be a flood. */
const MAX_READS = 100;

/** The turns of the reads of all waits of one gateway, first come, first served. */
export class ReadTurns {
  readonly #semaphore = new Semaphore(MAX_READS);

  /**
   * Reads as soon as fewer than 100 reads are under way.
   *
   * @throws {TimeoutError} if the turn does not come in `leftMs`. Nothing was sent.
   * @throws the reason of the signal, if it aborts before the turn.
   */
  async take<T>(read: () => Promise<T>, leftMs: number, signal?: AbortSignal): Promise<T> {
    const { controller, unlink } = linkedController(signal);
    const timer = setTimeout(() => controller.abort(noTurn(leftMs)), leftMs);
    const begin = () => {
      clearTimeout(timer);
      unlink();
    };
    try {
      return await this.#semaphore.use(controller.signal, () => {
        begin();
        return read();
      });
    } finally {
      begin();
    }
  }
}

const noTurn = (leftMs: number): TimeoutError =>
  new TimeoutError(
    `The payment was not read: ${MAX_READS} reads of this gateway were under way for ${Math.round(leftMs)} ms. Wait for fewer payments at a time, or raise \`waitMs\`.`,
    "not_sent",
    leftMs,
  );
