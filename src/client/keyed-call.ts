import type { Endpoint } from "../contract/endpoints.ts";
import type { Fence } from "../idempotency/fence.ts";
import { runOnce } from "../idempotency/run-once.ts";
import { checkMilliseconds } from "../internal/check-options.ts";
import { canonicalJson } from "../internal/json.ts";
import type { HttpResponse } from "./http/exchange.ts";
import type { CallContext } from "./http/failures.ts";
import { decodeResponse, encodeResponse } from "./http/stored-response.ts";
import { checkIdempotencyKey } from "./idempotency-key.ts";
import type { CreateOptions } from "./options.ts";
import { paymentSignalsOf } from "./payment-signals.ts";
import { unwrap } from "./response/unwrap.ts";
import type { Settings } from "./settings.ts";

/** A response that was read, and what a method makes of it. */
export interface Done {
  readonly received: HttpResponse;
  readonly data: unknown;
  readonly body: unknown;
}

export interface KeyedRequest {
  readonly settings: Settings;
  readonly context: CallContext;
  readonly endpoint: Endpoint;
  /** The path and the query. */
  readonly address: string;
  readonly body: string | undefined;
  readonly totalTimeoutMs: number;
  perform(signal: AbortSignal, fence: Fence): Promise<Done>;
}

export async function callOnce(request: KeyedRequest, options: CreateOptions): Promise<Done> {
  const { settings, context, endpoint, address, body, totalTimeoutMs } = request;
  const { idempotencyWaitMs = totalTimeoutMs } = options;
  if (idempotencyWaitMs !== 0) checkMilliseconds("idempotencyWaitMs", idempotencyWaitMs);
  return runOnce<Done>({
    store: await settings.store(),
    redactor: settings.redactor,
    key: checkIdempotencyKey(context.endpoint, options.idempotencyKey),
    endpoint: context.endpoint,
    parameters: address + (body === undefined ? "" : ` ${canonicalJson(JSON.parse(body))}`),
    baseUrl: settings.baseUrl,
    payment: paymentSignalsOf(endpoint, body),
    totalTimeoutMs,
    waitMs: idempotencyWaitMs,
    perform: (signal, fence) => request.perform(signal, fence),
    encode: (done) => encodeResponse(done.received),
    decode: (stored) => {
      const received = decodeResponse(stored);
      return { received, ...unwrap(context, endpoint, { received, outcome: "not_sent" }) };
    },
    signal: options.signal,
  });
}
