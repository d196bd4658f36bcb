import type { GatewayError, Outcome } from "../../errors/base.ts";
import type { Fence } from "../../idempotency/fence.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import { type AttemptResult, callHook, type RequestView } from "../hooks.ts";
import type { ObservedExchange } from "../observer.ts";
import type { LoggedAttempt } from "../platform/types.ts";
import type { CallLimits, Settings } from "../settings.ts";
import { type AttemptEnd, startAttempt } from "./attempt.ts";
import { exchange, type HttpRequest, type HttpResponse } from "./exchange.ts";
import {
  type CallContext,
  connectionFailure,
  type Failure,
  leaseFailure,
  statusFailure,
  timeoutFailure,
  tooLargeFailure,
  worse,
} from "./failures.ts";
import { safeHeaders } from "./response-fields.ts";
import { isRetryable, retryDelayMs } from "./retry-policy.ts";

export interface Limits extends CallLimits {
  readonly signal: AbortSignal | undefined;
  readonly beforeSend?: Fence | undefined;
}

/** Thrown at ky to signal a failed attempt. The real error is in `#failed`. */
const ATTEMPT_FAILED = /* @__PURE__ */ new Error();

/** An attempt as it was when it began. */
interface Started {
  readonly view: () => RequestView;
  readonly at: number;
  /** What was left of `totalTimeoutMs`. */
  readonly leftMs: number;
  /** What the request hook returned: to be called with how the attempt ended. */
  readonly onEnd: ((result: AttemptResult) => void) | undefined;
}

function responseOf(end: AttemptEnd): Response | undefined {
  if (end.kind === "too_large") return end.response;
  return end.kind === "response" ? end.received.response : undefined;
}

/**
 * The attempts of one call. ky makes the Request, decides when `attempt` is called, asks `shouldRetry`
 * after each that failed, and waits for `delayMs`. `errorFor` is the border that no error of ky's passes.
 */
export class CallAttempts {
  readonly #request: HttpRequest;
  readonly #context: CallContext;
  readonly #limits: Limits;
  readonly #settings: Settings;
  readonly #deadline: number;
  #count = 0;
  #timeOut: (() => void) | undefined;
  /** Why the last attempt failed, and its error with the worst outcome of all. */
  #failed: { readonly failure: Failure; readonly error: GatewayError } | undefined;
  /** The last attempt, until a line of the log was written for it. */
  #unlogged: (() => LoggedAttempt) | undefined;

  /** The worst outcome of the attempts so far. */
  outcome: Outcome = "not_sent";
  /** The wait before the next attempt. */
  delayMs = 0;
  /** The 2xx that the call ended with. */
  received: HttpResponse | undefined;

  constructor(request: HttpRequest, context: CallContext, limits: Limits, settings: Settings) {
    this.#request = request;
    this.#context = context;
    this.#limits = limits;
    this.#settings = settings;
    this.#deadline = performance.now() + limits.totalTimeoutMs;
  }

  /**
   * Makes one attempt, its body included.
   *
   * @returns A 2xx. Anything else rejects, as does the caller's abort, with the caller's reason.
   */
  attempt(request: Request): Promise<Response> {
    const { signal } = this.#limits;
    this.#failed = undefined;
    const started = this.#start();
    return new Promise((resolve, reject) => {
      const onEnd = (end: AttemptEnd) => {
        this.#timeOut = undefined;
        try {
          this.#finish(started, end);
        } catch (error) {
          // A custom `fetch` may resolve with anything, such as an object whose getters throw.
          this.received = undefined;
          this.#finish(started, { kind: "failed", error, hasResponse: true });
        }
        if (end.kind === "aborted") reject(signal?.reason);
        else if (this.received === undefined) reject(ATTEMPT_FAILED);
        else resolve(this.received.response);
      };
      const send = (attemptSignal: AbortSignal) =>
        exchange(request, this.#request, this.#settings, attemptSignal, this.#limits.beforeSend);
      this.#timeOut = startAttempt(send, onEnd, signal);
    });
  }

  shouldRetry(): boolean {
    this.#endByTimeout();
    // If the caller aborted, no failure stands.
    if (this.#failed === undefined) return false;
    const { failure, error } = this.#failed;
    const delayMs = retryDelayMs(failure, this.#count);
    // ky would wait out the rest of totalTimeout if the delay does not fit, and then report a
    // timeout: the caller is to have the failure at once, with its retryAfterMs.
    if (delayMs >= this.#deadline - performance.now()) return false;
    if (!isRetryable(this.#context.effect, failure)) return false;
    this.delayMs = delayMs;
    this.#log({ retryInMs: delayMs });
    callHook(this.#settings.hooks.retry, () => ({ ...this.#view(this.#count), delayMs, error }));
    return true;
  }

  /** The error for the caller, by what ky threw. */
  errorFor(thrown: unknown): unknown {
    const error = this.#errorFor(thrown);
    this.#log();
    return error;
  }

  #errorFor(thrown: unknown): unknown {
    const { signal } = this.#limits;
    if (thrown === ATTEMPT_FAILED) return this.#failed?.error;
    // In flight or in a wait. ky wraps some reasons in its own error.
    if (signal?.aborted) return signal.reason;
    // Or ky found `totalTimeout` over before another attempt began, and the last failure stands.
    this.#endByTimeout();
    if (this.#failed !== undefined) return this.#failed.error;
    const wasSent = this.#count > 0;
    const failure = connectionFailure(this.#context, thrown, wasSent);
    return failure.toError(wasSent ? "unknown" : "not_sent");
  }

  /**
   * ky is done with an attempt that is still under way: its time is over. ky tells only its
   * own Request, whose signal costs more to follow, and does not follow anything on React Native.
   */
  #endByTimeout(): void {
    this.#timeOut?.();
  }

  #view(attempt: number): RequestView {
    const { method, url } = this.#request;
    return {
      endpoint: this.#context.endpoint,
      method,
      url: maskPhones(this.#settings.redactor.text(url)),
      attempt,
    };
  }

  #start(): Started {
    const attempt = ++this.#count;
    const view = () => this.#view(attempt);
    const onEnd = callHook(this.#settings.hooks.request, view);
    const at = performance.now();
    return {
      view,
      at,
      leftMs: this.#deadline - at,
      onEnd: typeof onEnd === "function" ? onEnd : undefined,
    };
  }

  #log(next: { readonly retryInMs?: number } = {}): void {
    const ended = this.#unlogged;
    this.#unlogged = undefined;
    if (ended !== undefined) this.#settings.log?.(() => ({ ...ended(), ...next }));
  }

  #finish(started: Started, end: AttemptEnd): void {
    const durationMs = performance.now() - started.at;
    const response = responseOf(end);
    const report = (result: Partial<AttemptResult>) => {
      callHook(started.onEnd, () => ({ aborted: false, durationMs, ...result }));
      if (this.#settings.log === undefined) return;
      this.#unlogged = () => ({ view: started.view(), durationMs, response, ...result });
      // Whether a failure is retried is known later.
      if (result.error === undefined) this.#log();
    };
    if (end.kind === "aborted") return void report({ aborted: true });
    if (response !== undefined) this.#notifyResponse(started, response, durationMs);
    if (end.kind === "response") this.#notifyObserver(end.received);
    if (end.kind === "response" && end.received.response.ok) {
      this.received = end.received;
      return void report({ status: end.received.response.status });
    }
    const failure = this.#failureOf(started, end);
    this.outcome = worse(this.outcome, failure.outcome);
    const error = failure.toError(this.outcome);
    this.#failed = { failure, error };
    report({ status: failure.status, error });
  }

  #notifyResponse(started: Started, response: Response, durationMs: number): void {
    callHook(this.#settings.hooks.response, () => ({
      ...started.view(),
      status: response.status,
      headers: safeHeaders(response.headers, this.#settings.redactor),
      durationMs,
    }));
  }

  #notifyObserver({ response, text }: HttpResponse): void {
    const { observer, baseUrl, kind: key } = this.#settings;
    const { method, url, body } = this.#request;
    callHook(
      observer && ((exchange: ObservedExchange) => observer.observeExchange(exchange)),
      () => ({ method, url, baseUrl, key, hasBody: body !== undefined, response, text }),
    );
  }

  #failureOf({ leftMs }: Started, end: Exclude<AttemptEnd, { kind: "aborted" }>): Failure {
    if (end.kind === "response") return statusFailure(this.#context, end.received);
    if (end.kind === "too_large") {
      return tooLargeFailure(this.#context, end.response, this.#settings.maxResponseBytes);
    }
    if (end.kind === "failed") return connectionFailure(this.#context, end.error, end.hasResponse);
    const { timeoutMs, totalTimeoutMs } = this.#limits;
    if (end.kind === "withheld") return leaseFailure(this.#context, end.reason, totalTimeoutMs);
    return leftMs < timeoutMs
      ? timeoutFailure(this.#context, "totalTimeoutMs", totalTimeoutMs)
      : timeoutFailure(this.#context, "timeoutMs", timeoutMs);
  }
}
