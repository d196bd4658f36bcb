import type { Fence } from "../idempotency/fence.ts";
import { runOnce } from "../idempotency/run-once.ts";
import { checkMilliseconds } from "../internal/check-options.ts";
import { canonicalJson } from "../internal/json.ts";
import { decodeResponse, encodeResponse } from "./http/stored-response.ts";
import type { CallContext, HttpResponse } from "./http/types.ts";
import { checkIdempotencyKey } from "./idempotency-key.ts";
import type { CreateOptions } from "./options.ts";
import { paymentSignalsOf } from "./payment-signals.ts";
import { unwrap } from "./response/unwrap.ts";

/** A response that was read, and what a method makes of it. */
export interface Done extends HttpResponse {
  readonly data: unknown;
  readonly body: unknown;
}

export interface KeyedRequest {
  readonly context: CallContext;
  /** The path and the query. */
  readonly address: string;
  readonly body: string | undefined;
  readonly totalTimeoutMs: number;
  perform(signal: AbortSignal, fence: Fence): Promise<Done>;
}

export async function callOnce(request: KeyedRequest, options: CreateOptions): Promise<Done> {
  const { context, address, body, totalTimeoutMs, perform } = request;
  const { name, endpoint, settings } = context;
  const { idempotencyWaitMs = totalTimeoutMs } = options;
  if (idempotencyWaitMs !== 0) checkMilliseconds("idempotencyWaitMs", idempotencyWaitMs);
  return runOnce<Done>({
    store: await settings.store(),
    redactor: settings.redactor,
    key: checkIdempotencyKey(name, options.idempotencyKey),
    endpoint: name,
    parameters: address + (body === undefined ? "" : ` ${canonicalJson(JSON.parse(body))}`),
    baseUrl: settings.baseUrl,
    payment: paymentSignalsOf(endpoint, body),
    totalTimeoutMs,
    waitMs: idempotencyWaitMs,
    perform,
    encode: encodeResponse,
    decode: (stored) => {
      const received = decodeResponse(stored);
      return { ...received, ...unwrap(context, received) };
    },
    signal: options.signal,
  });
}
