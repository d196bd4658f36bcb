import { linkedController } from "./linked-controller.ts";

/** The iterator of what a caller gave; `undefined` if it is not iterable. */
export function iteratorOf<Item>(
  given: Iterable<Item> | AsyncIterable<Item>,
): Iterator<Item> | AsyncIterator<Item> | undefined {
  // A string is iterable too, one character after another.
  if (typeof given !== "object" || given === null) return undefined;
  if (Symbol.asyncIterator in given) return given[Symbol.asyncIterator]();
  return Symbol.iterator in given ? given[Symbol.iterator]() : undefined;
}

/**
 * Maps an iterable with limited concurrency and yields results as they finish. Takes from the source
 * only as fast as results are taken.
 *
 * @param work - Must not reject. Its signal aborts when no more results are taken.
 * @param signal - The caller's own: rejects with its reason.
 */
export async function* concurrently<Item, Result>(
  source: Iterator<Item> | AsyncIterator<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
  concurrency: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Result, void, void> {
  const { controller, unlink } = linkedController(signal);
  const ready: Result[] = [];
  /** What was begun and whose result was not given yet. */
  let open = 0;
  let taking = false;
  let more = true;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};

  /** Takes while there is room. A slow source holds up no result. */
  async function take(): Promise<void> {
    taking = true;
    try {
      while (more && open < concurrency) {
        const { done, value } = await source.next();
        if (done) {
          more = false;
          break;
        }
        open++;
        void work(value, controller.signal).then((result) => {
          ready.push(result);
          wake();
        });
      }
    } catch (error) {
      more = false;
      failure = { error };
    }
    taking = false;
    wake();
  }

  controller.signal.addEventListener("abort", () => wake());
  try {
    for (;;) {
      signal?.throwIfAborted();
      if (more && !taking && open < concurrency) void take();
      const next = ready.shift();
      if (next !== undefined) {
        open--;
        yield next;
      } else if (more || open > 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if (failure !== undefined) {
        throw failure.error;
      } else {
        return;
      }
    }
  } finally {
    const unfinished = more;
    more = false;
    controller.abort();
    unlink();
    // A source that is being waited for does not end before it has returned what it was asked for.
    const closing = unfinished ? Promise.resolve(source.return?.()) : undefined;
    if (taking) closing?.catch(() => {});
    else await closing;
  }
}
