import { sha256Hex } from "#hmac";
import { type DoublePayment, DoublePaymentDetector } from "../../contract/double-payment.ts";
import type { WebhookEvent } from "../../contract/events.ts";
import { OldestFirst } from "../../internal/oldest-first.ts";
import type { AttemptResolver } from "./receiver-options.ts";
import type { ReceiverSettings } from "./receiver-settings.ts";

/** How many pairs, and how many values of them, are remembered. */
const MAX_REMEMBERED = 10_000;

/** How many pairs are reported of one value: a service that writes one value everywhere makes one of each event. */
const MAX_PAIRS_OF_VALUE = 20;

/** Sets an entry, and forgets the oldest ones. */
function remember<Value>(entries: OldestFirst<Value>, name: string, value: Value): void {
  entries.set(name, value);
  if (entries.size > MAX_REMEMBERED) entries.forgetOldest();
}

const tooManyPairs = ({ by, value }: DoublePayment): Error =>
  new Error(
    `More than ${MAX_PAIRS_OF_VALUE} payments have the ${by} ${JSON.stringify(value)}: this process neither stores further ones as double payments nor calls onDoublePayment with them. If that value does not tell payments apart, give each order its own account_reference.`,
  );

type Payment = Readonly<Record<string, unknown>>;

/** What stored events tell about payments, beyond what handlers do with them. */
export class PaymentEvents {
  readonly #settings: ReceiverSettings;
  readonly #detector = new DoublePaymentDetector();
  /** The ids of the doubles that this process has found. */
  readonly #reported = new OldestFirst<true>();
  /** How many pairs it has found with each value. */
  readonly #pairsOf = new OldestFirst<number>();

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
  }

  /** Uses an event. A failure is reported, and the handler runs all the same. Never rejects. */
  async use({ event, data }: WebhookEvent, merchant: string | undefined): Promise<void> {
    if (!event.startsWith("payment.")) return;
    const payment = data as Payment;
    const { onError } = this.#settings;
    try {
      const attempts = this.#settings.attempts(merchant);
      const tasks = [
        attempts?.resolveByPayment(payment),
        this.#reportDoubles(payment, merchant, attempts),
      ];
      for (const end of await Promise.allSettled(tasks)) {
        if (end.status === "rejected") onError(end.reason);
      }
    } catch (error) {
      onError(error);
    }
  }

  async #reportDoubles(
    payment: Payment,
    merchant: string | undefined,
    attempts: AttemptResolver | undefined,
  ): Promise<void> {
    const { inbox, onDoublePayment } = this.#settings;
    if (inbox.doublePayments === undefined && onDoublePayment === undefined) return;
    if (payment.status !== "completed") return;
    const doubles = this.#detector.note(payment, merchant);
    const { account_reference: value, reference } = payment;
    if (typeof value === "string" && value !== "" && typeof reference === "string") {
      const others = (await attempts?.otherCompletedPayments?.(value, reference)) ?? [];
      for (const { reference: other = "" } of others) {
        doubles.push({ by: "account_reference", value, references: [other, reference] });
      }
    }
    for (const double of doubles) await this.#reportDouble(double, merchant);
  }

  /** Each pair once: it may be found by two values, by several processes, and again at a retry. */
  async #reportDouble(double: DoublePayment, merchant: string | undefined): Promise<void> {
    const { inbox, onDoublePayment, onError } = this.#settings;
    const pair = JSON.stringify([[...double.references].sort(), merchant ?? null]);
    const id = sha256Hex(pair);
    if (this.#reported.has(id)) return;
    const value = JSON.stringify([double.by, double.value, merchant ?? null]);
    const pairs = (this.#pairsOf.get(value) ?? 0) + 1;
    if (pairs <= MAX_PAIRS_OF_VALUE + 1) remember(this.#pairsOf, value, pairs);
    if (pairs === MAX_PAIRS_OF_VALUE + 1) onError(tooManyPairs(double));
    if (pairs > MAX_PAIRS_OF_VALUE) return;
    remember(this.#reported, id, true);
    const stored = { ...double, id, receivedAt: Date.now(), merchant };
    // If it cannot be stored, it is better reported twice than not at all.
    const isNew = await inbox.doublePayments?.add(stored).catch(onError);
    if (isNew !== false) onDoublePayment?.(double, merchant);
  }
}
