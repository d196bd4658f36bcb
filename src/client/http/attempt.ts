import type { Exchange } from "./exchange.ts";

export type AttemptEnd = Exchange | { readonly kind: "timeout" } | { readonly kind: "aborted" };

/**
 * Starts one attempt, which ends once: with its response, its failure, the caller's abort or a
 * timeout, whichever comes first. An abort and a timeout end it even when `fetch` ignores the signal
 * that it was given.
 *
 * @param send - Never rejects.
 * @param onEnd - Called synchronously, so that the attempt has ended when ky asks what to do next.
 * @returns Ends the attempt by a timeout.
 */
export function startAttempt(
  send: (signal: AbortSignal) => Promise<Exchange>,
  onEnd: (end: AttemptEnd) => void,
  callerSignal: AbortSignal | undefined,
): () => void {
  const controller = new AbortController();
  let ended = false;
  const finish = (end: AttemptEnd) => {
    if (ended) return;
    ended = true;
    callerSignal?.removeEventListener("abort", onAbort);
    onEnd(end);
  };
  const cancel = (kind: "timeout" | "aborted") => {
    finish({ kind });
    controller.abort();
  };
  const onAbort = () => cancel("aborted");
  callerSignal?.addEventListener("abort", onAbort);
  // The request hook may have aborted the call a moment ago. No event follows then.
  if (callerSignal?.aborted) onAbort();
  else send(controller.signal).then(finish);
  return () => cancel("timeout");
}
