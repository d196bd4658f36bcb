import type { PublicMethod } from "../contract/endpoints.ts";
import { type Call, createCall } from "./call.ts";
import { Idempotency } from "./idempotency/resolve.ts";
import { type RequestParams, rowFor } from "./request.ts";
import { Invoices } from "./resources/invoices.ts";
import { Merchant } from "./resources/merchant.ts";
import { MobileMoney } from "./resources/mobile-money.ts";
import { Payments } from "./resources/payments.ts";
import { Webhooks } from "./resources/webhooks.ts";
import { type Result, resultOf } from "./response/result.ts";
import { type CreateOptions, type GatewayOptions, settingsFrom } from "./settings.ts";

/** With a key that the compiler knows to be public, a namespace holds its reads alone. */
type For<Key extends string, Methods, Names extends string> = Key extends `pk_${string}`
  ? Pick<Methods, Extract<keyof Methods, Names>>
  : Methods;

/**
 * The client of the payment gateway. One for a key; it holds no state between calls.
 *
 * A literal public key narrows it: `new Gateway({ apiKey: "pk_..." })` has no method that a public
 * key may not call.
 *
 * @throws {ConfigurationError} from the constructor, with what to change.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 *
 * const gateway = new Gateway(); // MALIPO_API_KEY, MALIPO_BASE_URL
 * const { reference } = await gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" });
 * const payment = await gateway.payments.get(reference);
 * ```
 */
export class Gateway<const Key extends string = string> {
  readonly #call: Call;
  readonly merchant: For<Key, Merchant, PublicMethod<"merchant">>;
  readonly payments: For<Key, Payments, PublicMethod<"payments"> | "waitFor" | "reconcile">;
  readonly mobileMoney: For<Key, MobileMoney, PublicMethod<"mobileMoney">>;
  readonly webhooks: For<Key, Webhooks, PublicMethod<"webhooks">>;
  readonly invoices: For<Key, Invoices, PublicMethod<"invoices">>;
  readonly idempotency: Idempotency;

  constructor(options?: GatewayOptions<Key>) {
    const settings = settingsFrom(options);
    const call = createCall(settings);
    this.#call = call;
    this.idempotency = new Idempotency(settings);
    // The guard at run time refuses what the narrowed type leaves out.
    this.merchant = new Merchant(call) as typeof this.merchant;
    this.payments = new Payments(call) as typeof this.payments;
    this.mobileMoney = new MobileMoney(call) as typeof this.mobileMoney;
    this.webhooks = new Webhooks(call) as typeof this.webhooks;
    this.invoices = new Invoices(call) as typeof this.invoices;
  }

  /**
   * The escape hatch: sends a request that no method stands for, with the same key, retries and
   * errors, and gives its unwrapped `data`.
   *
   * A path of the interface takes its row's rules. Otherwise GET and HEAD are reads, PUT and DELETE
   * idempotent, POST and PATCH creations, which are never sent twice by themselves; a public key
   * may only GET.
   *
   * @throws {InvalidParamsError} before anything is sent.
   *
   * @example
   * ```ts
   * const report = await gateway.request<{ total: string }>({ method: "GET", path: "/reports/today" });
   * ```
   */
  request<T = unknown>(params: RequestParams, options?: CreateOptions): Result<T> {
    try {
      const [endpoint, input] = rowFor(params);
      return this.#call(endpoint, input, options);
    } catch (error) {
      return resultOf(Promise.reject(error));
    }
  }
}
