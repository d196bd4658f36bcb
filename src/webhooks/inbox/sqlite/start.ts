import { isLocked as isLockError } from "../../../internal/sqlite/locks.ts";
import { sleep } from "../../../internal/timeout.ts";
import { alreadyStarted } from "../errors.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";

const RETRY_DELAY_MS = 1_000;

/** Begins to process, unless the signal is aborted by then. */
type Begin = (signal: AbortSignal) => Promise<void>;

const isLocked = (error: unknown) =>
  isLockError(error instanceof Error ? (error.cause ?? error) : error);

/** The start of an inbox, which waits until no other process has the file locked. */
export class FileStart {
  #underWay: AbortController | undefined;

  /**
   * Rejects for an error that is not a lock. A lock is reported when the wait is over, and the start is
   * tried again later: the process need not be started again.
   */
  async start(begin: Begin, onError: (error: unknown) => void): Promise<void> {
    if (this.#underWay !== undefined) throw alreadyStarted();
    const own = new AbortController();
    this.#underWay = own;
    try {
      await begin(own.signal);
      this.#end(own);
    } catch (error) {
      if (isLocked(error)) {
        void this.#startLater(begin, own, error, reportOncePerMinute(onError));
      } else {
        this.#end(own);
        throw error;
      }
    }
  }

  async #startLater(
    begin: Begin,
    own: AbortController,
    first: unknown,
    report: (error: unknown) => void,
  ): Promise<void> {
    let error = first;
    for (let isBegun = false; !isBegun; ) {
      if (own.signal.aborted) return;
      report(error);
      await sleep(RETRY_DELAY_MS, own.signal);
      try {
        await begin(own.signal);
        isBegun = true;
      } catch (next) {
        error = next;
      }
    }
    this.#end(own);
  }

  #end(own: AbortController): void {
    if (this.#underWay === own) this.#underWay = undefined;
  }

  /** Nothing begins any more. */
  stop(): void {
    this.#underWay?.abort();
    this.#underWay = undefined;
  }
}
