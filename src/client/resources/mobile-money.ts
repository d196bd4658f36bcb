import { ENDPOINTS } from "../../contract/endpoints.ts";
import type {
  MobileMoneyPayment,
  MobileMoneyPaymentParams,
  MobileMoneyStatus,
  MobileMoneyStatusParams,
  Payment,
  PhoneValidation,
} from "../../contract/payment.ts";
import { isGatewayError } from "../../errors/any.ts";
import { PaymentPendingError } from "../../errors/payment.ts";
import type { Call } from "../call.ts";
import type { Result } from "../response/result.ts";
import type { CallOptions, CreateOptions } from "../settings.ts";
import { checkWait, type WaitOptions, waitForFinalStatus } from "../waiting/wait-for-payment.ts";

/** How to start a payment and wait for it. */
export interface CollectOptions extends WaitOptions, Pick<CreateOptions, "idempotencyKey"> {
  /**
   * The longest that starting and waiting may take together, in milliseconds.
   * @default 120_000
   */
  timeoutMs?: number | undefined;
}

/** Mobile money: prompts on customers' phones (STK push). */
export class MobileMoney {
  readonly #call: Call;
  /** @internal */
  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Prompts a customer's phone for a payment (STK push). The payment starts as `pending`; a webhook
   * or `payments.get(reference)` tells how it ends.
   *
   * A secret key with the scope `payments.create`. Never sent twice by itself: where an error's
   * `outcome` is `unknown`, the customer may have been prompted.
   *
   * @throws {InvalidParamsError} before anything is sent.
   * @throws {UnexpectedResponseError} where the answer has no `data.reference`.
   * @see Service interface, section 4, row 6.
   *
   * @example
   * ```ts
   * const { reference } = await gateway.mobileMoney.initiate({
   *   amount: 100,
   *   phone: "0712 345 678",
   *   account_reference: "ORDER-42",
   * });
   * ```
   */
  initiate(params: MobileMoneyPaymentParams, options?: CreateOptions): Result<MobileMoneyPayment> {
    return this.#call(ENDPOINTS["mobileMoney.initiate"], { body: params }, options);
  }

  /**
   * Prompts a customer's phone and waits until the payment is settled: `initiate`, then
   * `payments.waitFor`. Resolves with the payment whether it is `completed` or `failed`. With an
   * `idempotencyKey`, a second call waits for the payment of the first.
   *
   * A secret key with the scopes `payments.create` and `payments.read`.
   *
   * @throws {PaymentPendingError} at the deadline, and where the service refuses to let the payment
   * be read (`cause`): the prompt is out. `reference` says what to look for later.
   * @throws whatever `initiate` throws, before there is a payment.
   *
   * @example
   * ```ts
   * const payment = await gateway.mobileMoney.collect(
   *   { amount: 100, phone: "0712 345 678", account_reference: "ORDER-42" },
   *   { idempotencyKey: "ORDER-42/1" },
   * );
   * if (payment.status === "completed") ship("ORDER-42");
   * ```
   */
  async collect(params: MobileMoneyPaymentParams, options: CollectOptions = {}): Promise<Payment> {
    const { idempotencyKey, ...wait } = options;
    const timeoutMs = checkWait(wait, "collect");
    const { signal, headers } = wait;
    const started = performance.now();
    const { reference } = await this.#call<MobileMoneyPayment>(
      ENDPOINTS["mobileMoney.initiate"],
      { body: params, atMostMs: timeoutMs },
      { signal, headers, idempotencyKey },
    );
    const left = Math.max(timeoutMs - (performance.now() - started), 1);
    let seen: Payment | undefined;
    const read = async (each: CallOptions) => {
      seen = await this.#call<Payment>(ENDPOINTS["payments.get"], { path: [reference] }, each);
      return seen;
    };
    try {
      return await waitForFinalStatus(read, reference, { ...wait, timeoutMs: left });
    } catch (error) {
      if (!isGatewayError(error) || error.code === "payment_pending") throw error;
      // That a read was refused must not look as if the prompt was, and might be sent again.
      throw new PaymentPendingError(
        `The payment ${reference} was started, but reading it was refused. That is no failure: it may still be paid. Keep the reference, and do not start it again. ${error.message}`,
        reference,
        seen,
        { cause: error },
      );
    }
  }

  /**
   * Asks for the state of a mobile-money payment. The interface shows neither the request nor the
   * answer; `payments.get(reference)` is the documented way.
   *
   * A secret key with the scope `payments.read`. A read, though it is a POST: retried as one.
   *
   * @see Service interface, section 4, row 7.
   */
  status(params: MobileMoneyStatusParams, options?: CallOptions): Result<MobileMoneyStatus> {
    return this.#call(ENDPOINTS["mobileMoney.status"], { body: params }, options);
  }

  /**
   * Asks the service whether a phone number can be charged.
   *
   * Any key with the scope `mobile-money.validate`. A read, though it is a POST: retried as one.
   *
   * @param phone - In any usual way of writing it: 9 to 15 digits. Sent in digits.
   * @throws {InvalidParamsError} before anything is sent.
   * @see Service interface, section 4, row 8.
   */
  validatePhone(phone: string, options?: CallOptions): Result<PhoneValidation> {
    return this.#call(ENDPOINTS["mobileMoney.validatePhone"], { body: { phone } }, options);
  }
}
