import { ENDPOINTS, type Endpoint, type EndpointName } from "../../contract/endpoints.ts";
import { ConfigurationError, InvalidParamsError } from "../../errors/configuration.ts";
import { IdempotencyConflictError } from "../../errors/payment.ts";
import { type CallInput, nameOf } from "../call.ts";
import { type RequestParams, rowFor } from "../request.ts";
import { checkNames, type Settings } from "../settings.ts";
import { checkIdempotencyKey } from "./key.ts";
import { attemptSeen, recordKey, storeFailed } from "./run-once.ts";
import { resolvedAnswer } from "./stored-response.ts";

/** A call that creates: by its name, or by what `gateway.request` sent. */
export type CreateName = EndpointName | `${"POST" | "PATCH"} /${string}`;

function creationFor(name: CreateName): [Endpoint, CallInput] {
  const [, method, path] = /^(POST|PATCH) (\/.*)$/.exec(name) ?? [];
  const [row, input]: [Endpoint | undefined, CallInput] =
    path === undefined
      ? [Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name as EndpointName] : undefined, {}]
      : rowFor({ method: method as RequestParams["method"], path });
  if (row?.effect === "create") return [row, input];
  throw new ConfigurationError(`No call that creates is named ${JSON.stringify(name)}.`);
}

/** Idempotency keys whose attempt has an unknown outcome. */
export class Idempotency {
  readonly #settings: Settings;
  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Closes an attempt whose outcome is unknown, after you have looked what became of it: in
   * `payments.list()`, in your webhooks, on the statement, by asking the customer.
   *
   * With a reference, calls with this key give that reference from now on. With `"not_sent"`, the
   * key is free again, and the next call prompts the customer: be sure.
   *
   * Closes the attempt that you were told of, and no other: where another process has resolved it and
   * prompted again meanwhile, it refuses, and you look once more.
   *
   * @param idempotencyKey - The key of the attempt.
   * @param outcome - The reference of the payment it made, or `"not_sent"`.
   * @param options - `endpoint`: the call that the key was used with, as `"invoices.send"`, or as
   * `"POST /reports"` where it was a `gateway.request`. Default: `"mobileMoney.initiate"`. `attempt`:
   * `error.attempt` of the `OutcomeUnknownError`, where another process was told of it. Default: the
   * last one that this process was told of, else whichever stands.
   * @throws {IdempotencyConflictError} where that attempt is not what stands under the key: another
   * one is, it is under way, it succeeded, or there is none.
   * @throws {ConnectionError} where the store fails. It may be resolved again.
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
    options: { endpoint?: CreateName | undefined; attempt?: string | undefined } = {},
  ): Promise<void> {
    checkNames(options, ["endpoint", "attempt"], "`resolve`");
    const creation = creationFor(options.endpoint ?? "mobileMoney.initiate");
    const row = nameOf(...creation, this.#settings.key);
    const key = checkIdempotencyKey(row, idempotencyKey);
    if (typeof outcome !== "string" || outcome === "") {
      const message = 'expected the reference of a payment, or "not_sent"';
      throw new InvalidParamsError(`resolve: ${message}.`, [{ path: ["outcome"], message }]);
    }
    const result = outcome === "not_sent" ? undefined : resolvedAnswer(outcome);
    const { idempotency } = this.#settings;
    const name = recordKey(row, key);
    const attempt = options.attempt ?? attemptSeen(idempotency, name);
    const stood = await (async () => idempotency.resolve(name, result, attempt))().catch(
      (cause: unknown) => {
        throw storeFailed(`${row}: the idempotency store failed. It may be resolved again.`, cause);
      },
    );
    if (stood === "unknown") return;
    const state = {
      free: "is free, so there is nothing to resolve",
      in_flight: "is under way, so there is nothing to resolve",
      succeeded: "has succeeded, so there is nothing to resolve",
      another: "is another one than you were told of: look again, then resolve that one",
    }[stood];
    throw new IdempotencyConflictError(
      `${row}: the attempt under the idempotency key ${JSON.stringify(key)} ${state}.`,
      key,
    );
  }
}
