/**
 * Rejects with the error if a promise takes longer than `ms`. The work behind the promise goes
 * on: an engine may still store what it was given.
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  ms: number,
  error: () => Error,
): Promise<T> {
  if (await waitAtMost(promise, ms)) return promise;
  throw error();
}

/** Waits for a promise, but no longer than `ms`. Resolves with whether the promise ended in time. */
export async function waitAtMost(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with `true` after `ms`, or with `false` as soon as the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
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
