import type { Endpoint } from "../contract/endpoints.ts";
import type { Fence } from "../idempotency/fence.ts";
import { runOnce } from "../idempotency/run-once.ts";
import type { IdempotencyStore } from "../idempotency/store.ts";
import { canonicalJson } from "../internal/canonical-json.ts";
import type { Redactor } from "../internal/redact.ts";
import type { HttpResponse } from "./http/exchange.ts";
import { decodeResponse, encodeResponse } from "./http/stored-response.ts";
import { checkIdempotencyKey } from "./idempotency-key.ts";
import { paymentMarksOf } from "./payment-marks.ts";

/** A response that was read, and what a method makes of it. */
export interface Done {
  readonly received: HttpResponse;
  readonly data: unknown;
  readonly body: unknown;
}

/** A call with an idempotency key. */
export interface KeyedRequest {
  readonly store: IdempotencyStore;
  readonly redactor: Redactor;
  /** As the caller gave it. */
  readonly key: unknown;
  readonly endpoint: Endpoint;
  /** What errors and records call the endpoint. */
  readonly name: string;
  readonly baseUrl: string;
  /** The path and the query. */
  readonly address: string;
  readonly body: string | undefined;
  readonly totalTimeoutMs: number;
  readonly waitMs: number;
  perform(signal: AbortSignal, fence: Fence): Promise<Done>;
  /** What a method makes of a stored response. */
  unwrap(received: HttpResponse): Omit<Done, "received">;
}

/** Makes a call once for its idempotency key. */
export function callOnce(request: KeyedRequest, signal: AbortSignal | undefined): Promise<Done> {
  const { store, redactor, key, endpoint, name, baseUrl, address, body } = request;
  const { totalTimeoutMs, waitMs } = request;
  return runOnce<Done>(
    {
      store,
      redactor,
      key: checkIdempotencyKey(name, key),
      endpoint: name,
      parameters: address + (body === undefined ? "" : ` ${canonicalJson(JSON.parse(body))}`),
      baseUrl,
      payment: paymentMarksOf(endpoint, body),
      totalTimeoutMs,
      waitMs,
      perform: (callSignal, fence) => request.perform(callSignal, fence),
      encode: (done) => encodeResponse(done.received),
      decode: (stored) => {
        const received = decodeResponse(stored);
        return { received, ...request.unwrap(received) };
      },
    },
    signal,
  );
}
