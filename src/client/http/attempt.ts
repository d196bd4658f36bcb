import type { HttpResponse } from "./exchange.ts";

/** How one attempt ended. */
export type AttemptEnd =
  | { readonly kind: "response"; readonly received: HttpResponse }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "timeout" }
  | { readonly kind: "aborted" };

/**
 * Starts one attempt, which ends once: with its response, its failure, the caller's abort or a
 * timeout, whichever comes first. An abort and a timeout end it even when `fetch` ignores the signal
 * that it was given.
 *
 * @param onEnd - Called synchronously, so that ky finds the attempt ended when it asks what to do.
 * @param kySignal - Aborts when the caller aborts and when ky's timeout is over. `fetch` gets
 * another signal, since React Native's Request has none that follows.
 * @returns Ends the attempt by timeout: for platforms on which `kySignal` does not abort.
 */
export function startAttempt(
  send: (signal: AbortSignal) => Promise<HttpResponse>,
  onEnd: (end: AttemptEnd) => void,
  kySignal: AbortSignal | undefined,
  callerSignal: AbortSignal | undefined,
): () => void {
  const controller = new AbortController();
  let ended = false;
  const finish = (end: AttemptEnd) => {
    if (ended) return;
    ended = true;
    kySignal?.removeEventListener("abort", onAbort);
    onEnd(end);
  };
  const cancel = (kind: "timeout" | "aborted") => {
    finish({ kind });
    controller.abort();
  };
  const onAbort = () => cancel(callerSignal?.aborted ? "aborted" : "timeout");
  kySignal?.addEventListener("abort", onAbort);
  // The request hook may have aborted the call a moment ago. No event follows then.
  if (callerSignal?.aborted) onAbort();
  else {
    send(controller.signal).then(
      (received) => finish({ kind: "response", received }),
      (error: unknown) => finish({ kind: "failed", error }),
    );
  }
  return () => cancel("timeout");
}
