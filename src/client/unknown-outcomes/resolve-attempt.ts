import { ENDPOINTS, type Endpoint, type EndpointName } from "../../contract/endpoints.ts";
import { IdempotencyConflictError } from "../../errors/attempt.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { AttemptRecord, ResolveResult } from "../../idempotency/idempotency-store.ts";
import { recordName } from "../../idempotency/run-once.ts";
import { lastUnknownOwner } from "../../idempotency/unknown-attempts.ts";
import { checkOptions, type OptionRows } from "../../internal/check-options.ts";
import { quoteMasked } from "../../internal/phone-digits.ts";
import { type CallInput, nameOf } from "../call.ts";
import { encodeReference, storedPayment } from "../http/stored-response.ts";
import { checkIdempotencyKey } from "../idempotency-key.ts";
import { invalidParam } from "../invalid-params.ts";
import { endpointForRequest, type RequestParams } from "../request.ts";
import { dataOf } from "../response/envelope.ts";
import { type Attempt, type AttemptsContext, fromStore, toAttempt } from "./recorded-attempts.ts";

/** A call that creates something: its name, or the method and path of a `gateway.request`. */
export type CreateName = EndpointName | `${"POST" | "PATCH"} /${string}`;

/** Which key `gateway.idempotency.get` reads. */
export interface KeyOptions {
  /**
   * The call that the key was used with, such as `"invoices.send"`, or `"POST /reports"` for a
   * `gateway.request`. Set it for every call but a mobile-money prompt.
   *
   * @default "mobileMoney.initiate"
   */
  endpoint?: CreateName | undefined;
}

/** Which attempt `gateway.idempotency.resolve` resolves. */
export interface ResolveOptions extends KeyOptions {
  /**
   * `error.attempt` of the `OutcomeUnknownError`. Set it if another process than this one got the
   * error, such as in a back office.
   *
   * @default the last attempt that this process got the error for, otherwise any
   */
  attempt?: string | undefined;
}

/**
 * What records call the endpoint of a call.
 *
 * @throws {ConfigurationError} for a call that creates nothing.
 */
export function endpointNameOf(name: CreateName, { redactor }: AttemptsContext): string {
  const request = /^(?<method>POST|PATCH) (?<path>\/.*)$/.exec(name)?.groups;
  const [endpoint, input]: [Endpoint | undefined, CallInput] =
    request === undefined
      ? [Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name as EndpointName] : undefined, {}]
      : endpointForRequest(request as unknown as RequestParams);
  if (endpoint?.effect === "create") return nameOf(endpoint, input, redactor);
  throw new ConfigurationError(
    `\`endpoint\` must be the name of a call that creates something, such as "invoices.send" or "POST /reports"; got ${JSON.stringify(name)}.`,
  );
}

const NOT_RESOLVED: Readonly<
  Record<Exclude<ResolveResult["state"], "resolved" | "too_early">, string>
> = {
  free: "The key is free: there is no attempt to resolve.",
  in_flight: "The attempt is in flight. Wait until it has ended.",
  succeeded: "The attempt has succeeded. Make the call again to get its result.",
  another:
    "Another attempt has begun since this process looked. Look again, then resolve that one.",
};

function reasonFor(found: Exclude<ResolveResult, { state: "resolved" }>): string {
  if (found.state !== "too_early") return NOT_RESOLVED[found.state];
  const from = new Date(Date.now() + found.notSentInMs).toISOString();
  return `Its request may be on its way until ${from}. Look for the payment again after that time, then resolve it.`;
}

/** A store that a user wrote may resolve with anything. @throws {TypeError} */
function checkResolveResult(result: unknown): ResolveResult {
  const { state, notSentInMs } = Object(result) as Record<string, unknown>;
  if (state === "resolved" || Object.hasOwn(NOT_RESOLVED, String(state))) {
    return { state } as ResolveResult;
  }
  if (state === "too_early" && Number.isFinite(notSentInMs)) {
    return { state, notSentInMs: notSentInMs as number };
  }
  throw new TypeError("resolve() of the idempotency store must resolve with a ResolveResult.");
}

/**
 * Resolves an attempt in the store.
 *
 * @param reference - The payment that it made; `undefined` if it was not sent.
 * @param attempt - Only this attempt.
 */
export const resolveInStore = (
  context: AttemptsContext,
  { endpoint, idempotencyKey }: Pick<AttemptRecord, "endpoint" | "idempotencyKey">,
  reference: string | undefined,
  attempt: string | undefined,
): Promise<ResolveResult> => {
  const name = recordName(endpoint, idempotencyKey);
  const result = reference === undefined ? undefined : encodeReference(reference);
  const failed = `${endpoint}: the idempotency store failed while it resolved the attempt. Call resolve again.`;
  return fromStore(context, failed, async () =>
    checkResolveResult(await context.store.resolve(name, result, attempt)),
  );
};

/**
 * What the store knows of an idempotency key.
 *
 * - `free`: a call with the key would be sent. It was never used, its call sent nothing or was rejected, or its
 *   result is older than the retention.
 * - `in_flight`: another call makes an attempt now, at the latest until `notSentFrom`.
 * - `unknown`: the attempt may have happened, and no call with the key is sent until it is resolved.
 * - `succeeded`: calls with the key and the same parameters return its result.
 */
export type KeyState =
  | {
      readonly state: "free";
      readonly idempotencyKey: string;
      readonly endpoint: Attempt["endpoint"];
    }
  | (Attempt & { readonly state: "in_flight" | "unknown" })
  | (Attempt & {
      readonly state: "succeeded";
      /** The reference of the payment that the call started, if its result names one. */
      readonly reference: string | undefined;
      /** The `data` of the response. */
      readonly result: unknown;
    });

const KEY_OPTIONS = {
  /** {@link endpointNameOf} checks it. */
  endpoint: (endpoint = "mobileMoney.initiate") => endpoint,
} satisfies OptionRows<KeyOptions>;

const RESOLVE_OPTIONS = {
  ...KEY_OPTIONS,
  /** The store compares it. */
  attempt: (attempt) => attempt,
} satisfies OptionRows<ResolveOptions>;

/** See `gateway.idempotency.get`. */
export async function readKey(
  context: AttemptsContext,
  idempotencyKey: string,
  given: KeyOptions,
): Promise<KeyState> {
  const options = checkOptions(given, KEY_OPTIONS, "get");
  const endpoint = endpointNameOf(options.endpoint, context);
  const key = checkIdempotencyKey(endpoint, idempotencyKey);
  const failed = `${endpoint}: the idempotency store failed while it read the key.`;
  return fromStore(context, failed, async (): Promise<KeyState> => {
    const found = await context.store.read(recordName(endpoint, key));
    if (found === undefined) {
      return { state: "free", idempotencyKey: key, endpoint: endpoint as Attempt["endpoint"] };
    }
    const attempt = toAttempt(found);
    if (found.state !== "succeeded") return { ...attempt, state: found.state };
    const { body, reference } = storedPayment(found.result ?? "");
    return { ...attempt, state: found.state, reference, result: dataOf(body) };
  });
}

/** See `gateway.idempotency.resolve`. */
export async function resolveAttempt(
  context: AttemptsContext,
  idempotencyKey: string,
  outcome: string,
  given: ResolveOptions,
): Promise<void> {
  const options = checkOptions(given, RESOLVE_OPTIONS, "resolve");
  const endpoint = endpointNameOf(options.endpoint, context);
  const key = checkIdempotencyKey(endpoint, idempotencyKey);
  if (typeof outcome !== "string" || outcome === "") {
    const expected = 'expected the reference of a payment, or "not_sent"';
    throw invalidParam("resolve", "outcome", expected);
  }
  const attempt = options.attempt ?? lastUnknownOwner(context.store, recordName(endpoint, key));
  const reference = outcome === "not_sent" ? undefined : outcome;
  const record = { endpoint, idempotencyKey: key };
  const found = await resolveInStore(context, record, reference, attempt);
  if (found.state === "resolved") return;
  throw new IdempotencyConflictError(
    `${endpoint}: nothing was resolved under the idempotency key ${quoteMasked(key)}. ${reasonFor(found)}`,
    key,
    found.state === "too_early" ? found.notSentInMs : undefined,
    found.state === "free" ? "free" : "taken",
  );
}
