import { ENDPOINTS, type Endpoint, type EndpointName } from "../../contract/endpoints.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { IdempotencyConflictError } from "../../errors/payment.ts";
import { recordName } from "../../idempotency/run-once.ts";
import type { AttemptRecord, ResolveResult } from "../../idempotency/store.ts";
import { lastUnknownOwner } from "../../idempotency/unknown-attempts.ts";
import { ownOptions } from "../../internal/check-options.ts";
import { quoteMasked } from "../../internal/phone-digits.ts";
import { type CallInput, nameOf } from "../call.ts";
import { encodeReference } from "../http/stored-response.ts";
import { checkIdempotencyKey } from "../idempotency-key.ts";
import { invalidParam } from "../invalid-params.ts";
import { endpointForRequest, type RequestParams } from "../request.ts";
import { type AttemptsContext, fromStore } from "./attempts.ts";

/** A call that creates something: its name, or the method and path of a `gateway.request`. */
export type CreateName = EndpointName | `${"POST" | "PATCH"} /${string}`;

/** Which attempt `gateway.idempotency.resolve` resolves. */
export interface ResolveOptions {
  /**
   * The call that the key was used with, such as `"invoices.send"`, or `"POST /reports"` for a
   * `gateway.request`. Set it for every call but a mobile-money prompt.
   *
   * @default "mobileMoney.initiate"
   */
  endpoint?: CreateName | undefined;
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

/** See `gateway.idempotency.resolve`. */
export async function resolveAttempt(
  context: AttemptsContext,
  idempotencyKey: string,
  outcome: string,
  given: ResolveOptions,
): Promise<void> {
  const options = ownOptions(given, ["endpoint", "attempt"], "resolve");
  const endpoint = endpointNameOf(options.endpoint ?? "mobileMoney.initiate", context);
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
  );
}
