import ky, { type KyInstance, type RetryOptions } from "ky";
import type { Effect } from "../../contract/endpoints.ts";
import type { GatewayError, Outcome } from "../../errors/base.ts";
import { linkedController } from "../../internal/linked-controller.ts";
import { maskPhones } from "../../internal/phone-digits.ts";
import { readBody } from "../../internal/read-body.ts";
import type { ObservedExchange } from "../gateway-observer.ts";
import { type AttemptResult, callHook, type RequestView } from "../hooks.ts";
import type { AttemptLog } from "../platform/platform-types.ts";
import { isBrowser } from "../runtime.ts";
import type { Settings } from "../settings.ts";
import {
  connectionFailure,
  type Failure,
  statusFailure,
  timeoutFailure,
  tooLargeFailure,
  worse,
} from "./failures.ts";
import type { CallContext, HttpRequest, HttpResponse, Limits, Sent } from "./http-types.ts";
import { safeHeaders } from "./response-fields.ts";

const RETRYABLE_STATUSES = new Set([
  408, // Request Timeout
  429, // Too Many Requests
  500, // Internal Server Error
  502, // Bad Gateway
  503, // Service Unavailable
  504, // Gateway Timeout
]);

/**
 * May the request be sent again? Reads and idempotent writes after every failure that may pass; a
 * create only when nothing can have happened: it was not sent, or it was rejected with 429.
 */
function isRetryable(effect: Effect, { outcome, status, isPermanent }: Failure): boolean {
  if (isPermanent) return false;
  if (effect === "create") {
    return outcome === "not_sent" || (outcome === "rejected" && status === 429);
  }
  return status === undefined || RETRYABLE_STATUSES.has(status);
}

const BACKOFF_BASE_MS = 250;
const MAX_BACKOFF_MS = 8_000;

/**
 * How long to wait before the next attempt: what the service asked for, else exponential backoff
 * with full jitter.
 *
 * @param attempt - The number of the attempt that failed, from 1.
 */
export function retryDelayMs(
  { retryAfterMs }: Failure,
  attempt: number,
  random: () => number = Math.random,
): number {
  return retryAfterMs ?? random() * Math.min(MAX_BACKOFF_MS, BACKOFF_BASE_MS * 2 ** (attempt - 1));
}

/**
 * How an attempt ended. With neither `response` nor `failure`, the caller aborted it. Without `text`, the
 * body was not read to its end.
 */
interface AttemptEnd extends Partial<HttpResponse> {
  readonly status?: number;
  readonly failure?: Failure;
}

/**
 * Sends one request, once, and reads the response to its end: a 2xx whose body breaks off is not a
 * response. Never rejects.
 *
 * @param request - ky's: its method and headers. Its address is normalised, and it has no body.
 */
async function exchange(
  context: CallContext,
  { method, headers }: Pick<Request, "method" | "headers">,
  { url, body }: HttpRequest,
  { deadline, sendBefore, totalTimeoutMs }: Limits,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { settings } = context;
  let hasResponse = false;
  try {
    // Without a prototype: `fetch` would take what was added to `Object.prototype` for options.
    const init: RequestInit = Object.assign(Object.create(null), {
      method,
      headers,
      signal,
      // `fetch` would carry X-API-Key to the address that a redirect names.
      redirect: "manual",
    });
    // A string, not a Request: a Request makes a stream of it, which costs 65 us and fails on React
    // Native.
    if (body !== undefined) init.body = body;
    // A poll must not be served from a browser's cache. Cloudflare Workers reject this option.
    if (isBrowser()) init.cache = "no-store";
    // The global one is looked up at each call, so that a mock that replaces it later is used.
    const fetch = settings.fetch ?? globalThis.fetch;
    // Nothing may come between this look and `fetch`: the process may be suspended anywhere.
    const reason = deadline?.();
    if (reason !== undefined) {
      return { failure: timeoutFailure(context, reason, totalTimeoutMs, "not_sent") };
    }
    if (sendBefore !== undefined && sendBefore.leftMs() <= 0) {
      return {
        failure: timeoutFailure(context, sendBefore.reason, sendBefore.limitMs, "not_sent"),
      };
    }
    const response = await fetch(url, init);
    hasResponse = true;
    const keepsLength = settings.fetch === undefined && !isBrowser();
    const text = await readBody(response, settings.maxResponseBytes, keepsLength);
    const { status, ok } = response;
    if (text === undefined) {
      return { response, status, failure: tooLargeFailure(context, response) };
    }
    const received = { response, status, text };
    return ok ? received : { ...received, failure: statusFailure(context, received) };
  } catch (error) {
    // A custom `fetch` may resolve with anything, such as an object whose getters throw.
    return { failure: connectionFailure(context, error, hasResponse) };
  }
}

/** Thrown at ky to signal a failed attempt. The real error is in `#failed`. */
const ATTEMPT_FAILED = /* @__PURE__ */ new Error();

/**
 * The attempts of one call. ky makes the Request, decides when `attempt` is called, asks `shouldRetry`
 * after each that failed, and waits for `delayMs`. `errorFor` is the border that no error of ky's passes.
 */
class CallAttempts {
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
    const sendBeforeMs = this.#limits.sendBefore?.leftMs() ?? Number.POSITIVE_INFINITY;
    if (delayMs >= sendBeforeMs) return false;
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

// ky asks `shouldRetry` only about the methods that are named here.
const EVERY_METHOD: NonNullable<RetryOptions["methods"]> = [
  "get",
  "head",
  "put",
  "delete",
  "post",
  "patch",
];

/**
 * One ky instance for every gateway, so that a process may have thousands of them. Nothing of a gateway
 * is in it, only the options that no call changes. See docs/decisions/0001.
 */
const client: KyInstance = /* @__PURE__ */ ky.create({
  // A response that is not a 2xx is an error of ours, with an outcome, and ky never sees it.
  throwHttpErrors: false,
});

/**
 * Sends a request until it has a 2xx, may not be sent again, or time is up.
 *
 * @throws {GatewayError} whose outcome is the worst of all attempts; the signal's own reason if the
 * caller aborted.
 */
export async function send(
  context: CallContext,
  request: HttpRequest,
  limits: Limits,
): Promise<Sent> {
  limits.signal?.throwIfAborted();
  const attempts = new CallAttempts(context, request, limits);
  // ky follows a signal by `AbortSignal.any`, so it gets a separate one.
  const { controller, unlink } = linkedController(limits.signal);
  try {
    await client(request.url, {
      method: request.method,
      headers: request.headers,
      timeout: limits.timeoutMs,
      totalTimeout: limits.totalTimeoutMs,
      retry: {
        limit: limits.maxRetries,
        methods: EVERY_METHOD,
        shouldRetry: () => attempts.shouldRetry(),
        delay: () => attempts.delayMs,
      },
      fetch: (kyRequest) => attempts.attempt(kyRequest as Request),
      ...(limits.signal && { signal: controller.signal }),
    });
  } catch (error) {
    throw attempts.errorFor(error);
  } finally {
    unlink();
  }
  return { ...(attempts.received as HttpResponse), outcome: attempts.outcome };
}
