import type { PublicMethod } from "../contract/endpoints.ts";
import { KEY_PREFIXES } from "../contract/keys.ts";
import { Semaphore } from "../internal/semaphore.ts";
import { type Call, createCall } from "./call.ts";
import type { CreateOptions, GatewayOptions } from "./options.ts";
import { endpointForRequest, type RequestParams } from "./request.ts";
import { Invoices } from "./resources/invoices.ts";
import { Merchant } from "./resources/merchant.ts";
import { MobileMoney } from "./resources/mobile-money.ts";
import { Payments } from "./resources/payments.ts";
import { Webhooks } from "./resources/webhooks.ts";
import { type Result, resultOf } from "./response/result.ts";
import { settingsFrom } from "./settings.ts";
import { Idempotency } from "./unknown-outcomes/resolve.ts";
import { MAX_READS } from "./waiting/read-turns.ts";

/** What Node.js, Bun and Deno call to print an object. */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** The methods of a namespace: only its reads if the compiler knows that the key is public. */
type For<Key extends string, Methods, Names extends string> = Key extends `pk_${string}`
  ? Pick<Methods, Extract<keyof Methods, Names>>
  : Methods;

/**
 * The client of the payment gateway. Make one client for each key and use it for all calls.
 *
 * `new Gateway({ apiKey: "pk_..." })`, with a literal public key, has only the methods that a public
 * key may call.
 *
 * @throws {ConfigurationError} from the constructor, if an option is wrong or missing.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 *
 * const gateway = new Gateway(); // reads MALIPO_API_KEY and MALIPO_BASE_URL
 * const { reference } = await gateway.mobileMoney.initiate({ amount: 100, phone: "0712345678" });
 * const payment = await gateway.payments.get(reference);
 * ```
 */
export class Gateway<Key extends string = string> {
  /** As the name of an error does, it tells copies of the package (ESM and CJS) that this is the same class. */
  protected static readonly malipoClass: string = "Gateway";

  readonly #call: Call;
  readonly #print: () => string;
  readonly merchant: For<Key, Merchant, PublicMethod<"merchant">>;
  readonly payments: For<Key, Payments, PublicMethod<"payments"> | "waitFor" | "reconcile">;
  readonly mobileMoney: For<Key, MobileMoney, PublicMethod<"mobileMoney">>;
  readonly webhooks: For<Key, Webhooks, PublicMethod<"webhooks">>;
  readonly invoices: For<Key, Invoices, PublicMethod<"invoices">>;
  readonly idempotency: Idempotency;

  constructor(options?: GatewayOptions<Key>) {
    const settings = settingsFrom(options);
    const call = createCall(settings);
    const waits = { turns: new Semaphore(MAX_READS), wake: settings.wake };
    this.#call = call;
    const { kind, redactor, baseUrl } = settings;
    this.#print = () =>
      `Gateway { key: "${KEY_PREFIXES[kind]}... (${kind})", baseUrl: "${redactor.text(baseUrl)}" }`;
    this.idempotency = new Idempotency(settings, call);
    // Every method exists at run time. If the type leaves one out, the key guard rejects the call.
    this.merchant = new Merchant(call) as typeof this.merchant;
    this.payments = new Payments(call, waits) as typeof this.payments;
    this.mobileMoney = new MobileMoney(call, this.idempotency, waits) as typeof this.mobileMoney;
    this.webhooks = new Webhooks(call) as typeof this.webhooks;
    this.invoices = new Invoices(call) as typeof this.invoices;
  }

  /**
   * Sends a request to a path that no method covers, with the same key, retries and errors, and
   * resolves with the unwrapped `data`.
   *
   * A documented path has the rules of its endpoint. For any other path, GET and HEAD are reads, PUT
   * and DELETE are idempotent, and POST and PATCH create something: these are retried only while
   * nothing can have happened. A public key may only GET.
   *
   * @throws {InvalidParamsError} before anything is sent.
   *
   * @example
   * ```ts
   * const totals = await gateway.request<{ total: string }>({ method: "GET", path: "/reports/today" });
   * ```
   */
  request<T = unknown>(params: RequestParams, options?: CreateOptions): Result<T> {
    try {
      const [endpoint, input] = endpointForRequest(params);
      return this.#call(endpoint, input, options);
    } catch (error) {
      return resultOf(Promise.reject(error));
    }
  }

  /** Works across entry points, and across ESM and CJS. */
  static [Symbol.hasInstance](value: unknown): boolean {
    type Made = { constructor?: { malipoClass?: unknown } } | undefined;
    // A subclass that a user wrote has no own `malipoClass`: the usual check applies to it.
    return Object.hasOwn(this, "malipoClass")
      ? (value as Made | null)?.constructor?.malipoClass === this.malipoClass
      : Function.prototype[Symbol.hasInstance].call(this, value);
  }

  /**
   * What `console.log` prints: the kind of the key and the address, never the key.
   *
   * @internal
   */
  [INSPECT](): string {
    return this.#print();
  }
}
