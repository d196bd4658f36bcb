import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { MobileMoneyPaymentParams, Payment } from "../../contract/payment.ts";
import type { AttemptRecord } from "../../idempotency/store.ts";
import type { Call } from "../call.ts";
import type { CallOptions } from "../options.ts";
import type { Page } from "../response/page.ts";
import type { Settings } from "../settings.ts";
import type { Look } from "../waiting/collect.ts";
import {
  type Attempt,
  type AttemptList,
  type AttemptQuery,
  fromStore,
  listAttempts,
  toAttempt,
} from "./attempts.ts";
import { lookForAttempt } from "./look-for-attempt.ts";
import { candidateOf, compare } from "./match-payments.ts";
import { otherCompletedPayments } from "./other-payments.ts";
import { type ResolveOptions, resolveAttempt } from "./resolve-attempt.ts";
import {
  checkResolveUnknownOptions,
  type LookContext,
  type ResolveUnknownOptions,
  resolveByCandidate,
  resolveUnknown,
  type UnknownReport,
} from "./resolve-unknown.ts";

/** An attempt of unknown outcome, with the payments that may be its own. */
export interface UnknownAttempt {
  readonly attempt: Attempt;
  readonly payments: readonly Payment[];
}

/** What the methods of `gateway.idempotency` do, loaded when the first of them is called. */
export class IdempotencyOperations {
  readonly #settings: Settings;
  readonly #call: Call;

  constructor(settings: Settings, call: Call) {
    this.#settings = settings;
    this.#call = call;
  }

  async list(query?: AttemptQuery): Promise<AttemptList> {
    return listAttempts(await this.#context(), query);
  }

  async unknownBeside(payments: readonly Payment[], limit: number): Promise<UnknownAttempt[]> {
    const context = await this.#context();
    const { attempts } = await fromStore(context, "while it listed the attempts", () =>
      context.store.list({ state: "unknown", limit }),
    );
    const matches = (record: AttemptRecord) =>
      payments.filter((one) => compare(record, candidateOf(context, one)) !== "no");
    return attempts.map((one) => ({ attempt: toAttempt(one), payments: matches(one) }));
  }

  async resolve(key: string, outcome: string, options: ResolveOptions): Promise<void> {
    await resolveAttempt(await this.#context(), key, outcome, options);
  }

  async resolveUnknown(options: ResolveUnknownOptions): Promise<UnknownReport[]> {
    const own = checkResolveUnknownOptions(options);
    own.signal?.throwIfAborted();
    return resolveUnknown(await this.#context(), own);
  }

  async resolveByPayment(payment: Readonly<Record<string, unknown>>): Promise<boolean> {
    const { reference, account_reference, phone } = payment;
    const context = await this.#context();
    const unknown = await fromStore(context, "while it listed the attempts", () =>
      context.store.list({ state: "unknown", limit: 1 }),
    );
    if (unknown.attempts.length === 0) return false;
    const isComplete = account_reference !== undefined && phone !== undefined;
    const whole = isComplete
      ? payment
      : { ...payment, ...(await this.#read(String(reference))), reference };
    return resolveByCandidate(context, candidateOf(context, whole));
  }

  /** Looks for the payment of one attempt. Sends no payment. */
  async look(key: string, params: MobileMoneyPaymentParams, options: CallOptions): Promise<Look> {
    return lookForAttempt(await this.#context(), key, params, options);
  }

  async otherCompletedPayments(accountReference: string, reference: string): Promise<Payment[]> {
    const context = await this.#context();
    return otherCompletedPayments(context, accountReference, reference, (one) => this.#read(one));
  }

  async #context(): Promise<LookContext> {
    const { store, redactor, baseUrl } = this.#settings;
    return {
      store: await store(),
      redactor,
      baseUrl,
      readPage: (options) => (query) =>
        this.#call<Page<Payment>>(ENDPOINTS["payments.list"], { query }, options).withResponse(),
    };
  }

  #read(reference: string): Promise<Payment> {
    return this.#call<Payment>(ENDPOINTS["payments.get"], { path: [reference] });
  }
}
