import type { Outcome } from "../../errors/base.ts";
import { maskPhones, withoutSecret } from "../../internal/redact.ts";
import { type AttemptResult, callHook } from "../hooks.ts";
import type { Settings } from "../settings.ts";
import { runAttempt, sleep } from "./attempt.ts";
import {
  type CallContext,
  disconnection,
  type Failure,
  lateness,
  refusal,
  safeHeaders,
  worse,
} from "./failures.ts";
import { mayRetry, retryDelayMs } from "./retry.ts";
import { exchange, type HttpAnswer, type HttpRequest } from "./transport.ts";

/** The limits of one call. */
export interface Limits {
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
  readonly signal: AbortSignal | undefined;
}

/** A 2xx, and the worst outcome of the attempts before it. */
export interface Sent {
  readonly answer: HttpAnswer;
  readonly outcome: Outcome;
}

/**
 * Sends a request until it is answered with a 2xx, may not be sent again, or time is up.
 *
 * @throws {GatewayError} whose outcome is the worst of all attempts; the signal's own reason where
 * the caller aborted.
 */
export async function send(
  request: HttpRequest,
  context: CallContext,
  { timeoutMs, totalTimeoutMs, maxRetries, signal }: Limits,
  { fetch, hooks, key }: Settings,
): Promise<Sent> {
  const deadline = performance.now() + totalTimeoutMs;
  let outcome: Outcome = "not_sent";
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const view = () => ({
      endpoint: context.endpoint,
      method: request.method,
      url: maskPhones(withoutSecret(request.url, key) as string),
      attempt,
    });
    const told = callHook(hooks.request, view);
    const started = performance.now();
    const ended = (end: Partial<AttemptResult>) => {
      if (typeof told !== "function") return;
      callHook(told, () => ({ aborted: false, durationMs: performance.now() - started, ...end }));
    };
    const left = deadline - started;
    const result = await runAttempt(
      (attemptSignal) => exchange(request, fetch, attemptSignal),
      Math.min(timeoutMs, left),
      signal,
    );
    let failure: Failure;
    if (result.end === "aborted") {
      ended({ aborted: true });
      throw signal?.reason;
    }
    if (result.end === "answered") {
      const { answer } = result;
      const { response } = answer;
      callHook(hooks.response, () => ({
        ...view(),
        status: response.status,
        headers: safeHeaders(response.headers, key),
        durationMs: performance.now() - started,
      }));
      if (response.ok) {
        ended({ status: response.status });
        return { answer, outcome };
      }
      failure = refusal(context, answer);
    } else if (result.end === "failed") {
      failure = disconnection(context, result.error);
    } else {
      failure =
        left < timeoutMs
          ? lateness(context, "totalTimeoutMs", totalTimeoutMs)
          : lateness(context, "timeoutMs", timeoutMs);
    }
    outcome = worse(outcome, failure.outcome);
    const error = failure.toError(outcome);
    ended({ status: failure.status, error });
    const delayMs = retryDelayMs(failure, attempt);
    // A wait that the call would not outlive is not begun.
    const mayWait = delayMs < deadline - performance.now();
    if (attempt > maxRetries || !mayWait || !mayRetry(context.effect, failure)) throw error;
    callHook(hooks.retry, () => ({ ...view(), delayMs, error }));
    if (!(await sleep(delayMs, signal))) throw signal?.reason;
    // A busy machine may have slept past the deadline: another attempt would have no time at all.
    if (performance.now() >= deadline) throw error;
  }
}
