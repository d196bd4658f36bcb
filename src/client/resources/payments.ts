import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { InitiatedPayment, Payment, PaymentParams } from "../../contract/payment.ts";
import type { Call } from "../call.ts";
import type { Query } from "../http/url.ts";
import type { CallOptions, CreateOptions } from "../options.ts";
import type { Page } from "../response/page.ts";
import type { Result } from "../response/result.ts";
import {
  type ReconcileOptions,
  type ReconcileResult,
  reconcilePayments,
} from "../waiting/reconcile.ts";
import { type Waits, waitForFinalStatus } from "../waiting/wait-for-payment.ts";
import type { WaitOptions } from "../waiting/wait-options.ts";

/** Payments: read, list and start them, and wait for their final status. */
export class Payments {
  readonly #call: Call;
  readonly #waits: Waits;
  /** @internal */
  constructor(call: Call, waits: Waits) {
    this.#call = call;
    this.#waits = waits;
  }

  /**
   * Reads a payment. It always has a `status`, which may be one that is not documented.
   *
   * Requires a key with the scope `payments.read`.
   *
   * @param reference - The `reference` that the initiation returned.
   * @throws {NotFoundError} if the service knows no such payment.
   * @throws {UnexpectedResponseError} if the response has no `data.status`.
   * @see docs/reference/service.md, "Payment status"
   *
   * @example
   * ```ts
   * const payment = await gateway.payments.get(reference);
   * if (payment.status === "completed") ship(payment.account_reference);
   * ```
   */
  get(reference: string, options?: CallOptions): Result<Payment> {
    return this.#call(ENDPOINTS["payments.get"], { path: [reference] }, options);
  }

  /**
   * Lists payments, a page at a time.
   *
   * Requires a key with the scope `payments.read`.
   *
   * @param query - Not documented: sent as it is given.
   * @see docs/reference/service.md, "Payments"
   */
  list(query?: Query, options?: CallOptions): Result<Page<Payment>> {
    return this.#call(ENDPOINTS["payments.list"], { query }, options);
  }

  /**
   * Starts a payment of any kind. Neither the request nor the response is documented; for a prompt on
   * a phone, use `mobileMoney.initiate`.
   *
   * Requires a secret key. The call is retried automatically only while nothing can have happened.
   *
   * @see docs/reference/service.md, "Payment initiation"
   */
  initiate(params: PaymentParams, options?: CreateOptions): Result<InitiatedPayment> {
    return this.#call(ENDPOINTS["payments.initiate"], { body: params }, options);
  }

  /**
   * Waits until a payment is `completed` or `failed`, and resolves with it in both cases. Reads it
   * often at first, then less often. Goes on after failed reads and restarts of the service, and while
   * the status is `pending` or one that is not documented. All waits of one gateway have at most 100
   * reads under way; the others follow in order.
   *
   * Requires a key with the scope `payments.read`.
   *
   * @param reference - The `reference` that the initiation returned.
   * @throws {PaymentPendingError} at the time limit, with the payment as it was last read. This is not
   * a failure: the payment may still be completed.
   * @throws {AuthenticationError} {@link PermissionError}, {@link NotFoundError} (after 10 s) and
   * other errors that the next read would meet too.
   * @see docs/reference/service.md, "Payment status"
   *
   * @example
   * ```ts
   * const payment = await gateway.payments.waitFor(reference, { waitMs: 90_000 });
   * if (payment.status === "completed") ship(payment.account_reference);
   * else showCustomer(payment.user_message);
   * ```
   */
  waitFor(reference: string, options?: WaitOptions): Promise<Payment> {
    return waitForFinalStatus(this.#waits, (read) => this.get(reference, read), reference, options);
  }

  /**
   * Reads many payments, several at a time, and yields what each read says as soon as it is there:
   * `final`, `pending`, `unknown` or `unreadable`. Goes on after errors, and needs no more memory for
   * ten thousand references than for ten.
   *
   * Requires a key with the scope `payments.read`.
   *
   * @param references - An array, or any other iterable or async iterable.
   * @throws {InvalidParamsError} if `references` is not iterable.
   *
   * @example
   * ```ts
   * for await (const result of gateway.payments.reconcile(openReferences())) {
   *   if (result.state === "final") await close(result.payment);
   * }
   * ```
   */
  async *reconcile(
    references: Iterable<string> | AsyncIterable<string>,
    options?: ReconcileOptions,
  ): AsyncGenerator<ReconcileResult, void, void> {
    yield* reconcilePayments((one, read) => this.get(one, read), references, options);
  }
}
