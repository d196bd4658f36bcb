import type { MobileMoneyPaymentParams, Payment } from "../../contract/payment.ts";
import type { IdempotencyStore } from "../../idempotency/idempotency-store.ts";
import type { Call } from "../call.ts";
import { onDemand } from "../on-demand.ts";
import type { CallOptions } from "../options.ts";
import type { Settings } from "../settings.ts";
import type { Look } from "../waiting/collect.ts";
import type { UnknownAttempt } from "./operations.ts";
import type { AttemptList, AttemptQuery, LookContext } from "./recorded-attempts.ts";
import type { KeyOptions, KeyState, ResolveOptions } from "./resolve-attempt.ts";
import type { ResolveUnknownOptions, ResolveUnknownResult } from "./resolve-unknown.ts";

type Operations = typeof import("./operations.ts");

const loadOperations = onDemand("attempts of unknown outcome", () => import("./operations.ts"));

/** Attempts to make a call once, by their idempotency keys: list them, and resolve those of unknown outcome. */
export class Idempotency {
  readonly #settings: Settings;
  readonly #call: Call;
  /** @internal */
  constructor(settings: Settings, call: Call) {
    this.#settings = settings;
    this.#call = call;
  }

  async #run<T>(
    operation: (operations: Operations, context: LookContext) => Promise<T>,
  ): Promise<T> {
    const operations = await loadOperations();
    return operation(operations, await operations.contextOf(this.#settings, this.#call));
  }

  /**
   * Lists the attempts that the store remembers, the oldest first.
   *
   * @throws {ConfigurationError} for a wrong option.
   * @throws {ConnectionError} if the store fails.
   *
   * @example
   * ```ts
   * for await (const attempt of await gateway.idempotency.list({ state: "unknown" })) {
   *   console.log(attempt.idempotencyKey, attempt.begunAt);
   * }
   * ```
   */
  async list(query?: AttemptQuery): Promise<AttemptList> {
    return this.#run(({ listAttempts }, context) => listAttempts(context, query));
  }

  /**
   * What the store knows of a key. Sends nothing and changes nothing. Call it to decide whether an
   * order may be paid again, or to find the payment of a call whose response your process lost.
   *
   * A key that is `free` may be used by another process a moment later: to pay, make the call with the key.
   *
   * @param idempotencyKey - The key.
   * @throws {InvalidParamsError} for a key that is not a string of 1 to 255 characters.
   * @throws {ConnectionError} if the store fails.
   *
   * @example
   * ```ts
   * const key = await gateway.idempotency.get("ORDER-42/1");
   * if (key.state === "succeeded") console.log("paid by", key.reference);
   * if (key.state === "unknown") console.log("not known before", key.notSentFrom);
   * ```
   */
  async get(idempotencyKey: string, options: KeyOptions = {}): Promise<KeyState> {
    return this.#run(({ readKey }, context) => readKey(context, idempotencyKey, options));
  }

  /**
   * Resolves an attempt of unknown outcome, after you have found out what became of it: in
   * `payments.list()`, in your webhooks, on the statement, or by asking the customer.
   *
   * With a reference, calls with this key return that reference from now on. With `"not_sent"`, the
   * key is free again and the next call prompts the customer, so be sure: look **after** the
   * `notSentFrom` of the `OutcomeUnknownError`. Until then the request may still be on its way, and
   * `"not_sent"` is rejected.
   *
   * It resolves only the attempt that you looked up. If another process has resolved that attempt
   * and prompted again, it rejects, and you look once more.
   *
   * @param idempotencyKey - The key of the attempt.
   * @param outcome - The reference of the payment that it made, or `"not_sent"`.
   * @throws {IdempotencyConflictError} if there is no such attempt: the key is free, the attempt
   * is in flight or has succeeded, or another attempt has begun. Also if `"not_sent"` comes too early:
   * `retryAfterMs` says when to look again.
   * @throws {ConnectionError} if the store fails. Call `resolve` again.
   *
   * @example
   * ```ts
   * try {
   *   await gateway.mobileMoney.initiate(order, { idempotencyKey });
   * } catch (error) {
   *   if (!isGatewayError(error) || error.code !== "outcome_unknown") throw error;
   *   if (error.notSentFrom > new Date()) return lookLater(order, error.notSentFrom);
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
    await this.#run(({ resolveAttempt }, context) =>
      resolveAttempt(context, idempotencyKey, outcome, options),
    );
  }

  /**
   * Looks in the list of payments for every attempt of unknown outcome, and resolves each that
   * exactly one payment matches: by account reference, amount and phone. Returns what became of
   * each attempt. Run it every few minutes, from one place.
   *
   * It works only for payments that have an `account_reference`, and relies on one
   * `account_reference` naming one order. It reads every page of the list that it can find.
   *
   * Requires a key with the scope `payments.read`.
   *
   * @throws {ConfigurationError} for a wrong option.
   * @throws {GatewayError} if the list of payments cannot be read, or the store fails.
   *
   * @example
   * ```ts
   * const results = await gateway.idempotency.resolveUnknown({ lookBackMs: 3_600_000 });
   * for (const { state, attempt } of results) {
   *   if (state === "unclear") await askSupport(attempt.idempotencyKey);
   * }
   * ```
   */
  async resolveUnknown(options: ResolveUnknownOptions): Promise<ResolveUnknownResult[]> {
    return this.#run(({ resolveUnknown }, context) => resolveUnknown(context, options));
  }

  /**
   * Resolves the attempt of unknown outcome that made a payment, if exactly one can have made it.
   * `createWebhookReceiver({ attempts: gateway.idempotency })` calls it for every payment that a
   * webhook names. Call it yourself if payments come from somewhere else, such as a statement.
   *
   * A payment without an `account_reference` or a `phone` is read first, by its `reference`.
   *
   * @param payment - A payment that certainly exists: a verified event's `data`, or a read.
   * @returns Whether an attempt was resolved.
   * @throws {GatewayError} if the store or the read fails.
   */
  async resolveByPayment(payment: Readonly<Record<string, unknown>>): Promise<boolean> {
    const { reference } = payment;
    if (reference === undefined || reference === "") return false;
    return this.#run(({ resolveByPayment }, context) => resolveByPayment(context, payment));
  }

  /** @internal For a checkout: whether the keys are remembered by this store. */
  async isStoredBy(store: IdempotencyStore): Promise<boolean> {
    return (await this.#settings.store()) === store;
  }

  /** @internal For the page of an operator: changes nothing. */
  async unknownBeside(limit: number): Promise<UnknownAttempt[]> {
    return this.#run(({ unknownBeside }, context) => unknownBeside(context, limit));
  }

  /** @internal For the page of an operator: resolves, unless the service contradicts it. */
  async decide(attempt: string, outcome: string): Promise<void> {
    await this.#run(({ decide }, context) => decide(context, attempt, outcome));
  }

  /** @internal For `collect`: looks for the payment of one attempt. Sends no payment. */
  async look(
    idempotencyKey: string,
    params: MobileMoneyPaymentParams,
    options: CallOptions,
  ): Promise<Look> {
    return this.#run(({ lookForAttempt }, context) =>
      lookForAttempt(context, idempotencyKey, params, options),
    );
  }

  /**
   * The completed payments of an account reference that other idempotency keys made, as far as the
   * store remembers them. `createWebhookReceiver({ attempts, onDoublePayment })` calls it.
   *
   * @param reference - The payment that is left out.
   * @throws {GatewayError} if the store or a read fails.
   */
  async otherCompletedPayments(accountReference: string, reference: string): Promise<Payment[]> {
    return this.#run(({ otherCompletedPayments }, context) =>
      otherCompletedPayments(context, accountReference, reference),
    );
  }
}
