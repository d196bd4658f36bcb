import { ENDPOINTS } from "../../contract/endpoints.ts";
import type {
  MobileMoneyPayment,
  MobileMoneyPaymentParams,
  MobileMoneyStatus,
  MobileMoneyStatusParams,
  Payment,
  PhoneToValidate,
  PhoneValidation,
} from "../../contract/payment.ts";
import type { Call } from "../call.ts";
import { checkPhone, ownFieldsOf } from "../http/body-text.ts";
import { onDemand } from "../on-demand.ts";
import type { CallOptions, CreateOptions } from "../options.ts";
import type { Result } from "../response/result.ts";
import type { Idempotency } from "../unknown-outcomes/resolve.ts";
import type { CollectOptions } from "../waiting/collect.ts";
import type { Waits } from "../waiting/wait-for-payment.ts";

const loadCollect = onDemand("`collect`", () => import("../waiting/collect.ts"));

/** Mobile money: prompts on customers' phones (STK push). */
export class MobileMoney {
  readonly #call: Call;
  readonly #idempotency: Idempotency;
  readonly #waits: Waits;
  /** @internal */
  constructor(call: Call, idempotency: Idempotency, waits: Waits) {
    this.#call = call;
    this.#waits = waits;
    this.#idempotency = idempotency;
  }

  /**
   * Prompts a customer's phone for a payment (STK push). The payment is `pending` at first. A webhook
   * or `payments.get(reference)` says how it ended.
   *
   * Requires a secret key with the scope `payments.create`. The call is retried automatically
   * only while nothing can have happened. If the `outcome` of an error is `unknown`, the customer may have been
   * prompted.
   *
   * @throws {InvalidParamsError} before anything is sent.
   * @throws {UnexpectedResponseError} if the response has no `data.reference`.
   * @see docs/reference/service.md, "Payment initiation"
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
   * Prompts a customer's phone and waits until the payment reaches a final status: `initiate`, then
   * `payments.waitFor`. Resolves with the payment, whether it is `completed` or `failed`. With an
   * `idempotencyKey`, a second call waits for the payment of the first.
   *
   * If the start has an unknown outcome, and has an `idempotencyKey` and an `account_reference`,
   * it looks for the payment in `payments.list()` and in what webhooks have resolved, until the
   * request cannot be on its way any more, or until the time limit. It never starts a second payment.
   *
   * Requires a secret key with the scopes `payments.create` and `payments.read`.
   *
   * @throws {PaymentPendingError} at the time limit, or if the service rejects the read of the payment
   * (`cause`). The customer has been prompted: keep `reference` and look again later.
   * @throws {GatewayError} what `initiate` throws, while there is no payment.
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
    const given = [ownFieldsOf("collect", params), ownFieldsOf("collect", options)] as const;
    const { collectPayment } = await loadCollect();
    return collectPayment(this.#call, this.#waits, this.#idempotency, ...given);
  }

  /**
   * Asks for the state of a mobile-money payment. Neither the request nor the response is documented;
   * use `payments.get(reference)` instead if you can.
   *
   * Requires a secret key with the scope `payments.read`. The call is a read,
   * so it is retried automatically, although it is a POST.
   *
   * @see docs/reference/service.md, "Endpoints"
   */
  status(params: MobileMoneyStatusParams, options?: CallOptions): Result<MobileMoneyStatus> {
    return this.#call(ENDPOINTS["mobileMoney.status"], { body: params }, options);
  }

  /**
   * Asks the service whether a phone number can be charged.
   *
   * Requires a key with the scope `mobile-money.validate`. The call is a read,
   * so it is retried automatically, although it is a POST.
   *
   * @param phone - 9 to 15 digits, in any usual notation. It is sent as digits only.
   * @throws {InvalidParamsError} before anything is sent.
   * @see docs/reference/service.md, "Endpoints"
   */
  validatePhone(phone: string, options?: CallOptions): Result<PhoneValidation> {
    const body: PhoneToValidate = { phone };
    const input = { body, check: checkPhone };
    return this.#call(ENDPOINTS["mobileMoney.validatePhone"], input, options);
  }
}
