/** How one attempt ended. */
export type Attempt<Answer> =
  | { readonly end: "answered"; readonly answer: Answer }
  | { readonly end: "failed"; readonly error: unknown }
  | { readonly end: "timed_out" }
  | { readonly end: "aborted" };

/**
 * Runs one attempt under a time limit and the caller's signal. Both end it even where the work
 * ignores the signal it was given.
 */
export async function runAttempt<Answer>(
  work: (signal: AbortSignal) => Promise<Answer>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Attempt<Answer>> {
  const controller = new AbortController();
  return new Promise((resolve) => {
    const settle = (attempt: Attempt<Answer>) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(attempt);
    };
    const cancel = (attempt: Attempt<Answer>) => {
      settle(attempt);
      controller.abort();
    };
    const onAbort = () => cancel({ end: "aborted" });
    const timer = setTimeout(cancel, timeoutMs, { end: "timed_out" });
    signal?.addEventListener("abort", onAbort);
    // A hook may have aborted just now: no event comes of that any more.
    if (signal?.aborted) return onAbort();
    work(controller.signal).then(
      (answer) => settle({ end: "answered", answer }),
      (error: unknown) => settle({ end: "failed", error }),
    );
  });
}

/** Waits; gives `false` at once where the signal aborts first. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (slept: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(slept);
    };
    const onAbort = () => end(false);
    const timer = setTimeout(end, ms, true);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
  });
}
