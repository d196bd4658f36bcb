import type { Endpoint } from "../contract/endpoints.ts";
import type { Fence } from "../idempotency/fence.ts";
import { runOnce } from "../idempotency/run-once.ts";
import { canonicalJson } from "../internal/canonical-json.ts";
import { ownOptions } from "../internal/check-options.ts";
import { maskPhones } from "../internal/phone-digits.ts";
import type { Redactor } from "../internal/redact.ts";
import { withStack } from "./diagnostics/stack.ts";
import { bodyText } from "./http/body.ts";
import type { Limits } from "./http/call-attempts.ts";
import { createHttpClient } from "./http/client.ts";
import type { HttpResponse } from "./http/exchange.ts";
import { requestHeaders } from "./http/headers.ts";
import { decodeResponse, encodeResponse } from "./http/stored-response.ts";
import { fillPath, type Query, queryString } from "./http/url.ts";
import { checkIdempotencyKey } from "./idempotency-key.ts";
import { checkKeyKind } from "./key-guard.ts";
import { countLimit, timeLimit, waitLimit } from "./limits.ts";
import type { CallOptions, CreateOptions } from "./options.ts";
import { paymentMarksOf } from "./payment-marks.ts";
import { type Result, resultOf, type Unwrapped } from "./response/result.ts";
import { unwrap } from "./response/unwrap.ts";
import type { Settings } from "./settings.ts";

/** What goes into a row: its path parameters, its body, its query. */
export interface CallInput {
  readonly path?: readonly unknown[];
  readonly query?: Query | undefined;
  /** Checked even where it is `undefined`; leave the field out to send no body. */
  readonly body?: unknown;
  /** What errors and hooks call the endpoint. Default: the row's method and path. */
  readonly name?: string;
  /** A limit on the whole call beside its own, in milliseconds. */
  readonly atMostMs?: number;
}

/** One row and its input in, checked data out: what every method of the gateway comes down to. */
export type Call = <T>(endpoint: Endpoint, input: CallInput, options?: CreateOptions) => Result<T>;

const EFFECTS = { read: "reads", idempotent: "may be repeated" } as const;
const CALL_OPTIONS = ["signal", "timeoutMs", "totalTimeoutMs", "maxRetries", "headers"];
const CREATE_OPTIONS = [...CALL_OPTIONS, "idempotencyKey", "idempotencyWaitMs"];

function checkCallOptions({ effect }: Endpoint, options: CreateOptions): CreateOptions {
  return effect === "create"
    ? ownOptions(options, CREATE_OPTIONS, "A call")
    : ownOptions(options, CALL_OPTIONS, `A call that ${EFFECTS[effect]}`);
}

function limitsOf(options: CallOptions, settings: Settings): Limits {
  return {
    timeoutMs: timeLimit("timeoutMs", options.timeoutMs, settings.timeoutMs),
    totalTimeoutMs: timeLimit("totalTimeoutMs", options.totalTimeoutMs, settings.totalTimeoutMs),
    maxRetries: countLimit("maxRetries", options.maxRetries, settings.maxRetries, 0),
    signal: options.signal,
  };
}

/** What errors, hooks and idempotency records call an endpoint. */
export const nameOf = (
  { method, path }: Endpoint,
  { name }: CallInput,
  redactor: Redactor,
): string =>
  // A path of the caller's own may hold anything.
  name ?? maskPhones(redactor.text(`${method} ${path}`));

/** The way of every call: options, key, path, body; then send; then unwrap. */
export function createCall(settings: Settings): Call {
  const send = createHttpClient(settings);
  async function answerTo<T>(
    endpoint: Endpoint,
    input: CallInput,
    given: CreateOptions,
  ): Promise<Unwrapped<T>> {
    const name = nameOf(endpoint, input, settings.redactor);
    const options = checkCallOptions(endpoint, given);
    const limits = limitsOf(options, settings);
    const { atMostMs = limits.totalTimeoutMs } = input;
    const totalTimeoutMs = Math.min(limits.totalTimeoutMs, atMostMs);
    checkKeyKind(name, endpoint, settings);
    const address =
      fillPath(name, endpoint.path, input.path ?? []) + queryString(name, input.query);
    const body =
      "body" in input ? bodyText(name, endpoint.request, input.body, settings.redactor) : undefined;
    const request = {
      method: endpoint.method,
      url: settings.baseUrl + address,
      headers: requestHeaders(
        options.headers,
        settings.keyHeader,
        body !== undefined,
        settings.userAgent,
      ),
      body,
    };
    const { origin, redactor } = settings;
    const context = { endpoint: name, effect: endpoint.effect, origin, redactor };
    type Done = { readonly received: HttpResponse; readonly data: unknown; readonly body: unknown };
    const perform = async (signal: AbortSignal | undefined, beforeSend?: Fence): Promise<Done> => {
      const sent = await send(request, context, { ...limits, totalTimeoutMs, signal, beforeSend });
      return { received: sent.received, ...unwrap(context, endpoint, sent, settings) };
    };
    const { idempotencyKey } = options;
    const {
      received,
      data,
      body: whole,
    } = await withStack(
      idempotencyKey === undefined
        ? perform(limits.signal)
        : runOnce<Done>(
            {
              store: settings.idempotency,
              redactor,
              key: checkIdempotencyKey(name, idempotencyKey),
              endpoint: name,
              parameters:
                address + (body === undefined ? "" : ` ${canonicalJson(JSON.parse(body))}`),
              baseUrl: settings.baseUrl,
              payment: paymentMarksOf(endpoint, body),
              totalTimeoutMs,
              waitMs: waitLimit(options.idempotencyWaitMs, totalTimeoutMs),
              perform,
              encode: (done) => encodeResponse(done.received),
              decode: (stored) => {
                const received = decodeResponse(stored);
                const sent = { received, outcome: "not_sent" } as const;
                return { received, ...unwrap(context, endpoint, sent, { hooks: {} }) };
              },
            },
            limits.signal,
          ),
    );
    return { data: data as T, response: received.response, body: whole };
  }
  return <T>(endpoint: Endpoint, input: CallInput, options: CreateOptions = {}) =>
    resultOf(answerTo<T>(endpoint, input, options));
}
