import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { InitiatedPayment, Payment, PaymentParams } from "../../contract/payment.ts";
import type { Call } from "../call.ts";
import type { Query } from "../http/url.ts";
import type { Page } from "../response/page.ts";
import type { Result } from "../response/result.ts";
import type { CallOptions, CreateOptions } from "../settings.ts";
import {
  type ReconcileOptions,
  type ReconcileReport,
  reconcilePayments,
} from "../waiting/reconcile.ts";
import { type WaitOptions, waitForFinalStatus } from "../waiting/wait-for-payment.ts";

/** Payments: read them, list them, start one of any kind. */
export class Payments {
  readonly #call: Call;
  /** @internal */
  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Reads a payment. Its `status` is promised; statuses that the interface does not show pass
   * through.
   *
   * Any key with the scope `payments.read`.
   *
   * @param reference - What the initiation gave back.
   * @throws {NotFoundError} where the service knows no such payment.
   * @throws {UnexpectedResponseError} where the answer has no `data.status`.
   * @see Service interface, section 4, row 3.
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
   * Any key with the scope `payments.read`.
   *
   * @param query - Not shown by the interface: passed on as given.
   * @see Service interface, section 4, row 4.
   */
  list(query?: Query, options?: CallOptions): Result<Page<Payment>> {
    return this.#call(ENDPOINTS["payments.list"], { query }, options);
  }

  /**
   * Starts a payment by the service's general endpoint. The interface shows neither its request nor
   * its answer; for a prompt on a phone, use `mobileMoney.initiate`.
   *
   * A secret key. Never sent twice by itself: see `outcome` of the errors.
   *
   * @see Service interface, section 4, row 5.
   */
  initiate(params: PaymentParams, options?: CreateOptions): Result<InitiatedPayment> {
    return this.#call(ENDPOINTS["payments.initiate"], { body: params }, options);
  }

  /**
   * Waits until a payment is `completed` or `failed`, and resolves with it either way. Reads it
   * quickly at first, then slower; outlives failed reads and restarts of the service; waits on
   * through `pending` and every status that the interface does not show.
   *
   * Any key with the scope `payments.read`.
   *
   * @param reference - What the initiation gave back.
   * @throws {PaymentPendingError} at the deadline, with the payment as it was last read. A deadline
   * is no failure: the payment may still be completed.
   * @throws {AuthenticationError} {@link PermissionError}, {@link NotFoundError} (after 10 s) and
   * other definite refusals.
   * @see Service interface, section 3.
   *
   * @example
   * ```ts
   * const payment = await gateway.payments.waitFor(reference, { timeoutMs: 90_000 });
   * if (payment.status === "completed") ship(payment.account_reference);
   * else tell(payment.user_message);
   * ```
   */
  waitFor(reference: string, options?: WaitOptions): Promise<Payment> {
    return waitForFinalStatus((read) => this.get(reference, read), reference, options);
  }

  /**
   * Reads many payments, a few at a time, and gives what each read says, as it comes: `final`,
   * `pending`, `unknown` or `unreadable`. Goes on after errors, and needs no more memory for ten
   * thousand references than for ten.
   *
   * Any key with the scope `payments.read`.
   *
   * @param references - A list, or anything that gives one after another.
   *
   * @example
   * ```ts
   * for await (const report of gateway.payments.reconcile(openReferences())) {
   *   if (report.state === "final") await close(report.payment);
   * }
   * ```
   */
  reconcile(
    references: Iterable<string> | AsyncIterable<string>,
    options?: ReconcileOptions,
  ): AsyncGenerator<ReconcileReport, void, void> {
    return reconcilePayments((one, read) => this.get(one, read), references, options);
  }
}
