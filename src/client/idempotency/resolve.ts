import { ENDPOINTS, type Endpoint, type EndpointName } from "../../contract/endpoints.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { IdempotencyConflictError } from "../../errors/payment.ts";
import { checkOptionNames } from "../../internal/check-options.ts";
import { type CallInput, nameOf } from "../call.ts";
import { invalidParam } from "../invalid-params.ts";
import { endpointForRequest, type RequestParams } from "../request.ts";
import type { Settings } from "../settings.ts";
import { checkIdempotencyKey } from "./key.ts";
import { recordName, storeError } from "./run-once.ts";
import type { ResolveResult } from "./store.ts";
import { encodeReference } from "./stored-response.ts";
import { lastUnknownOwner } from "./unknown-attempts.ts";

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
   * `error.attempt` of the `OutcomeUnknownError`. Set it where another process than this one got the
   * error, such as in a back office.
   *
   * @default the last attempt that this process got the error for, otherwise any
   */
  attempt?: string | undefined;
}

/** The endpoint that a name stands for, and the input that its record is named after. */
function createEndpoint(name: CreateName): [Endpoint, CallInput] {
  const request = /^(?<method>POST|PATCH) (?<path>\/.*)$/.exec(name)?.groups;
  const found: [Endpoint | undefined, CallInput] =
    request === undefined
      ? [Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name as EndpointName] : undefined, {}]
      : endpointForRequest(request as unknown as RequestParams);
  const [endpoint, input] = found;
  if (endpoint?.effect === "create") return [endpoint, input];
  throw new ConfigurationError(
    `\`endpoint\` must be the name of a call that creates something, such as "invoices.send" or "POST /reports"; got ${JSON.stringify(name)}.`,
  );
}

const NOT_RESOLVED: Readonly<Record<Exclude<ResolveResult, "unknown">, string>> = {
  free: "The key is free: there is no attempt to resolve.",
  in_flight: "The attempt is in flight. Wait until it has ended.",
  succeeded: "The attempt has succeeded. Make the call again to get its result.",
  another:
    "Another attempt has begun since this process looked. Look again, then resolve that one.",
};

/** Idempotency keys whose attempt has an unknown outcome. */
export class Idempotency {
  readonly #settings: Settings;
  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Resolves an attempt of unknown outcome, after you have found out what became of it: in
   * `payments.list()`, in your webhooks, on the statement, or by asking the customer.
   *
   * With a reference, calls with this key return that reference from now on. With `"not_sent"`, the
   * key is free again and the next call prompts the customer, so be sure.
   *
   * It resolves only the attempt that you looked up. Where another process has resolved that one and
   * prompted again, it rejects, and you look once more.
   *
   * @param idempotencyKey - The key of the attempt.
   * @param outcome - The reference of the payment that it made, or `"not_sent"`.
   * @throws {IdempotencyConflictError} where there is no such attempt: the key is free, the attempt
   * is in flight or has succeeded, or another one has begun.
   * @throws {ConnectionError} where the store fails. Call `resolve` again.
   *
   * @example
   * ```ts
   * try {
   *   await gateway.mobileMoney.initiate(order, { idempotencyKey });
   * } catch (error) {
   *   if (!isGatewayError(error) || error.code !== "outcome_unknown") throw error;
   *   const payments = await gateway.payments.list();
   *   const found = payments.items.find((one) => one.account_reference === order.account_reference);
   *   await gateway.idempotency.resolve(idempotencyKey, found?.reference ?? "not_sent");
   * }
   * ```
   */
  async resolve(
    idempotencyKey: string,
    outcome: string,
    options: ResolveOptions = {},
  ): Promise<void> {
    checkOptionNames(options, ["endpoint", "attempt"], "resolve");
    const [row, input] = createEndpoint(options.endpoint ?? "mobileMoney.initiate");
    const endpoint = nameOf(row, input, this.#settings.key);
    const key = checkIdempotencyKey(endpoint, idempotencyKey);
    if (typeof outcome !== "string" || outcome === "") {
      const expected = 'expected the reference of a payment, or "not_sent"';
      throw invalidParam("resolve", "outcome", expected);
    }
    const store = this.#settings.idempotency;
    const name = recordName(endpoint, key);
    const attempt = options.attempt ?? lastUnknownOwner(store, name);
    const result = outcome === "not_sent" ? undefined : encodeReference(outcome);
    let found: ResolveResult;
    try {
      found = await store.resolve(name, result, attempt);
    } catch (cause) {
      const failed =
        "the idempotency store failed while it resolved the attempt. Call resolve again.";
      throw storeError(`${endpoint}: ${failed}`, cause);
    }
    if (found === "unknown") return;
    throw new IdempotencyConflictError(
      `${endpoint}: nothing was resolved under the idempotency key ${JSON.stringify(key)}. ${NOT_RESOLVED[found]}`,
      key,
    );
  }
}
