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
import { checkFunction } from "../../internal/check-options.ts";
import type { Call } from "../call.ts";
import { callHook } from "../hooks.ts";
import { checkPhone } from "../http/check-phone.ts";
import type { CallOptions, CreateOptions } from "../options.ts";
import type { Result } from "../response/result.ts";
import type { Idempotency } from "../unknown-outcomes/resolve.ts";
import type { ReadTurns } from "../waiting/read-turns.ts";
import { startOrFind } from "../waiting/start-or-find.ts";
import { waitForFinalStatus } from "../waiting/wait-for-payment.ts";
import { checkWaitOptions, WAIT_OPTION_NAMES, type WaitOptions } from "../waiting/wait-options.ts";

/** How to start a payment and wait until it reaches a final status. */
export interface CollectOptions
  extends WaitOptions,
    Pick<CreateOptions, "idempotencyKey" | "idempotencyWaitMs"> {
  /**
   * The time limit of the start and the wait together, in milliseconds. Lower it where the customer
   * waits for your response; the payment goes on without you.
   *
   * @default 120_000
   */
  waitMs?: number | undefined;
  /**
   * Called with the reference of the payment as soon as there is one, before the wait begins. Set it
   * to store the reference with the order: a webhook may come before `collect` resolves.
   */
  onStarted?: ((reference: string) => void) | undefined;
}

const COLLECT_OPTION_NAMES = [
  ...WAIT_OPTION_NAMES,
  "idempotencyKey",
  "idempotencyWaitMs",
  "onStarted",
];

/** Mobile money: prompts on customers' phones (STK push). */
export class MobileMoney {
  readonly #call: Call;
  readonly #idempotency: Idempotency;
  readonly #turns: ReadTurns;
  /** @internal */
  constructor(call: Call, idempotency: Idempotency, turns: ReadTurns) {
    this.#call = call;
    this.#turns = turns;
    this.#idempotency = idempotency;
  }

  /**
   * Prompts a customer's phone for a payment (STK push). The payment is `pending` at first. A webhook
   * or `payments.get(reference)` says how it ended.
   *
   * Requires a secret key with the scope `payments.create`. The call is retried automatically
   * only while nothing can have happened. Where the `outcome` of an error is `unknown`, the customer may have been
   * prompted.
   *
   * @throws {InvalidParamsError} before anything is sent.
   * @throws {UnexpectedResponseError} where the response has no `data.reference`.
   * @see docs/service.md, "Payment initiation"
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
   * Where the start has an unknown outcome, and has an `idempotencyKey` and an `account_reference`,
   * it looks for the payment in `payments.list()` and in what webhooks have resolved, until the
   * request cannot be on its way any more, or until the time limit. It never starts a second payment.
   *
   * Requires a secret key with the scopes `payments.create` and `payments.read`.
   *
   * @throws {PaymentPendingError} at the time limit, and where the service refuses to read the payment
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
    const own = checkWaitOptions(options, "collect", COLLECT_OPTION_NAMES);
    const { idempotencyKey, idempotencyWaitMs, onStarted, waitMs, ...wait } = own;
    if (onStarted !== undefined) checkFunction("onStarted", onStarted);
    const { signal, headers, timeoutMs } = own;
    const started = performance.now();
    const leftMs = () => Math.max(waitMs - (performance.now() - started), 1);
    const start = () =>
      this.#call<MobileMoneyPayment>(
        ENDPOINTS["mobileMoney.initiate"],
        { body: params, atMostMs: leftMs() },
        { signal, headers, timeoutMs, idempotencyKey, idempotencyWaitMs },
      );
    const look = (totalTimeoutMs: number) =>
      this.#idempotency.look(String(idempotencyKey), params, {
        signal,
        headers,
        timeoutMs,
        totalTimeoutMs,
      });
    const { reference } = await startOrFind(
      start,
      idempotencyKey === undefined ? undefined : { look, leftMs, signal },
    );
    callHook(onStarted, () => reference);
    let lastRead: Payment | undefined;
    const read = async (each: CallOptions) => {
      lastRead = await this.#call<Payment>(ENDPOINTS["payments.get"], { path: [reference] }, each);
      return lastRead;
    };
    try {
      return await waitForFinalStatus(this.#turns, read, reference, { ...wait, waitMs: leftMs() });
    } catch (error) {
      if (!isGatewayError(error) || error.code === "payment_pending") throw error;
      // The error of a read must not look as if the prompt was refused and could be sent again.
      throw new PaymentPendingError(
        `The payment ${reference} was started, but the service refused to read it. This is not a failure: it may still be paid. Keep the reference and do not start it again. ${error.message}`,
        reference,
        lastRead,
        { cause: error },
      );
    }
  }

  /**
   * Asks for the state of a mobile-money payment. Neither the request nor the response is documented;
   * use `payments.get(reference)` instead where you can.
   *
   * Requires a secret key with the scope `payments.read`. The call is a read,
   * so it is retried automatically, although it is a POST.
   *
   * @see docs/service.md, "Endpoints"
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
   * @see docs/service.md, "Endpoints"
   */
  validatePhone(phone: string, options?: CallOptions): Result<PhoneValidation> {
    const input = { body: { phone }, check: checkPhone };
    return this.#call(ENDPOINTS["mobileMoney.validatePhone"], input, options);
  }
}
