import type { GatewayError, Outcome } from "../../errors/base.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import { type AttemptResult, callHook, type RequestView } from "../hooks.ts";
import type { ObservedExchange } from "../observer.ts";
import type { AttemptLog } from "../platform/types.ts";
import type { Settings } from "../settings.ts";
import { type AttemptEnd, exchange } from "./exchange.ts";
import { connectionFailure, type Failure, timeoutFailure, worse } from "./failures.ts";
import { safeHeaders } from "./response-fields.ts";
import { isRetryable, retryDelayMs } from "./retry-policy.ts";
import type { CallContext, HttpRequest, HttpResponse, Limits } from "./types.ts";

/** Thrown at ky to signal a failed attempt. The real error is in `#failed`. */
const ATTEMPT_FAILED = /* @__PURE__ */ new Error();

/**
 * The attempts of one call. ky makes the Request, decides when `attempt` is called, asks `shouldRetry`
 * after each that failed, and waits for `delayMs`. `errorFor` is the border that no error of ky's passes.
 */
export class CallAttempts {
  readonly #context: CallContext;
  readonly #settings: Settings;
  readonly #request: HttpRequest;
  readonly #limits: Limits;
  readonly #deadline: number;
  readonly #log: AttemptLog | undefined;
  #count = 0;
  /**
   * Ends an attempt that is under way although ky is done with it: its time is over. ky tells only its
   * own Request, whose signal costs more to follow, and does not follow anything on React Native.
   */
  #timeOut: (() => void) | undefined;
  /** Why the last attempt failed, and its error with the worst outcome of all. */
  #failed: { readonly failure: Failure; readonly error: GatewayError } | undefined;

  /** The worst outcome of the attempts so far. */
  outcome: Outcome = "not_sent";
  /** The wait before the next attempt. */
  delayMs = 0;
  /** The 2xx that the call ended with. */
  received: HttpResponse | undefined;

  constructor(context: CallContext, request: HttpRequest, limits: Limits) {
    this.#context = context;
    this.#settings = context.settings;
    this.#request = request;
    this.#limits = limits;
    this.#deadline = performance.now() + limits.totalTimeoutMs;
    this.#log = context.settings.log?.();
  }

  /**
   * Makes one attempt, its body included. It ends once: with its response, its failure, the caller's
   * abort or a timeout, whichever comes first. An abort and a timeout end it even if `fetch` ignores
   * the signal that it was given.
   *
   * @returns A 2xx. Anything else rejects, as does the caller's abort, with the caller's reason.
   */
  attempt(request: Request): Promise<Response> {
    const { signal } = this.#limits;
    const controller = new AbortController();
    this.#failed = undefined;
    const count = ++this.#count;
    const view = () => this.#view(count);
    const onEnd = callHook(this.#settings.hooks.request, view);
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      // Synchronous, so that the attempt has ended when ky asks what to do next.
      const end = (ended: AttemptEnd) => {
        if (this.#timeOut !== timeOut) return;
        this.#timeOut = undefined;
        signal?.removeEventListener("abort", onAbort);
        const result = this.#finish(ended, view, performance.now() - startedAt);
        if (typeof onEnd === "function") callHook(onEnd, () => result);
        this.#log?.ended({ ...result, view: view(), response: ended.response });
        if (this.received !== undefined) resolve(this.received.response);
        else reject(this.#failed === undefined ? signal?.reason : ATTEMPT_FAILED);
      };
      const cancel = (ended: AttemptEnd) => {
        end(ended);
        controller.abort();
      };
      const onAbort = () => cancel({});
      const timeOut = () => cancel({ failure: this.#timeoutFailure(startedAt) });
      this.#timeOut = timeOut;
      signal?.addEventListener("abort", onAbort);
      // The request hook may have aborted the call a moment ago. No event follows then.
      if (signal?.aborted) onAbort();
      else {
        exchange(this.#context, request, this.#request, this.#limits, controller.signal).then(end);
      }
    });
  }

  shouldRetry(): boolean {
    this.#timeOut?.();
    // If the caller aborted, no failure stands.
    if (this.#failed === undefined) return false;
    const { failure, error } = this.#failed;
    const delayMs = retryDelayMs(failure, this.#count);
    // ky would wait out the rest of totalTimeout if the delay does not fit, and then report a
    // timeout: the caller is to have the failure at once, with its retryAfterMs.
    if (delayMs >= this.#deadline - performance.now()) return false;
    if (!isRetryable(this.#context.endpoint.effect, failure)) return false;
    this.delayMs = delayMs;
    this.#log?.follows(delayMs);
    callHook(this.#settings.hooks.retry, () => ({ ...this.#view(this.#count), delayMs, error }));
    return true;
  }

  /** The error for the caller, by what ky threw. */
  errorFor(thrown: unknown): unknown {
    const error = this.#errorFor(thrown);
    this.#log?.follows();
    return error;
  }

  #errorFor(thrown: unknown): unknown {
    const { signal } = this.#limits;
    if (thrown === ATTEMPT_FAILED) return this.#failed?.error;
    // In flight or in a wait. ky wraps some reasons in its own error.
    if (signal?.aborted) return signal.reason;
    // Or ky found `totalTimeout` over before another attempt began, and the last failure stands.
    this.#timeOut?.();
    if (this.#failed !== undefined) return this.#failed.error;
    const wasSent = this.#count > 0;
    const failure = connectionFailure(this.#context, thrown, wasSent);
    return failure.toError(wasSent ? "unknown" : "not_sent");
  }

  #timeoutFailure(startedAt: number): Failure {
    const { timeoutMs, totalTimeoutMs } = this.#limits;
    const [option, limitMs] =
      this.#deadline - startedAt < timeoutMs
        ? ["totalTimeoutMs", totalTimeoutMs]
        : ["timeoutMs", timeoutMs];
    const why = `no complete response within ${option} (${limitMs} ms).`;
    return timeoutFailure(this.#context, why, limitMs);
  }

  #view(attempt: number): RequestView {
    const { method, url } = this.#request;
    return {
      endpoint: this.#context.name,
      method,
      url: maskPhones(this.#settings.redactor.text(url)),
      attempt,
    };
  }

  #finish(ended: AttemptEnd, view: () => RequestView, durationMs: number): AttemptResult {
    const { response, status, text, failure } = ended;
    if (response !== undefined) {
      this.#notify(view, durationMs, response, text);
      if (text !== undefined && failure === undefined) this.received = { response, text };
    }
    if (failure !== undefined) {
      this.outcome = worse(this.outcome, failure.outcome);
      this.#failed = { failure, error: failure.toError(this.outcome) };
    }
    const aborted = response === undefined && failure === undefined;
    return { status, error: this.#failed?.error, aborted, durationMs };
  }

  /** Tells the hook and the observer of a response. */
  #notify(
    view: () => RequestView,
    durationMs: number,
    response: Response,
    text: string | undefined,
  ): void {
    const { hooks, observer, baseUrl, kind: key, redactor } = this.#settings;
    callHook(hooks.response, () => ({
      ...view(),
      status: response.status,
      headers: safeHeaders(response.headers, redactor),
      durationMs,
    }));
    if (text === undefined || observer === undefined) return;
    const { method, url, body } = this.#request;
    const hasBody = body !== undefined;
    const exchanged: ObservedExchange = { method, url, baseUrl, key, hasBody, response, text };
    callHook(
      (one: ObservedExchange) => observer.observeExchange(one),
      () => exchanged,
    );
  }
}
