import { runOnce } from "../idempotency/run-once.ts";
import { canonicalJson } from "../internal/canonical-json.ts";
import type { CheckedCall } from "./call-options.ts";
import { decodeResponse, encodeResponse } from "./http/stored-response.ts";
import { checkIdempotencyKey } from "./idempotency-key.ts";
import { matchFieldsOf, startsPayment } from "./match-fields.ts";
import { type Done, type PreparedCall, sendAndUnwrap, unwrap } from "./response/unwrap.ts";

/** What tells the calls of one key apart. */
export interface KeyedParameters {
  /** The path and the query. */
  readonly address: string;
  /** What the body holds as JSON; `undefined` without a body. */
  readonly parameters: unknown;
}

export async function callOnce(
  prepared: PreparedCall,
  { address, parameters }: KeyedParameters,
  options: CheckedCall,
): Promise<Done> {
  const { context, request, limits } = prepared;
  const { name, endpoint, settings } = context;
  const { totalTimeoutMs } = limits;
  const { idempotencyWaitMs = totalTimeoutMs } = options;
  const isPayment = startsPayment(`${endpoint.method} ${endpoint.path}`);
  return runOnce<Done>({
    store: await settings.store(),
    redactor: settings.redactor,
    key: checkIdempotencyKey(name, options.idempotencyKey),
    endpoint: name,
    parameters: address + (request.body === undefined ? "" : ` ${canonicalJson(parameters)}`),
    baseUrl: settings.baseUrl,
    payment: isPayment ? matchFieldsOf(parameters) : undefined,
    totalTimeoutMs,
    waitMs: idempotencyWaitMs,
    perform: (signal, deadline) => sendAndUnwrap(prepared, { signal, deadline }),
    encode: encodeResponse,
    decode: (stored) => {
      const received = decodeResponse(stored);
      return { ...received, ...unwrap(context, received) };
    },
    signal: options.signal,
  });
}
