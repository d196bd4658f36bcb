import { type DoublePayment, DoublePaymentDetector } from "../../contract/double-payment.ts";
import type { WebhookEvent } from "../../contract/events.ts";
import type { ReceiverSettings } from "./check-options.ts";

/** What stored events say about payments, beyond what handlers do with them. */
export class PaymentEvidence {
  readonly #settings: ReceiverSettings;
  readonly #detector = new DoublePaymentDetector();

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
  }

  /** Uses an event. A failure is reported, and keeps no handler from its event. Never rejects. */
  async use({ event, data }: WebhookEvent): Promise<void> {
    if (!event.startsWith("payment.")) return;
    const payment = data as Readonly<Record<string, unknown>>;
    const { attempts, onError } = this.#settings;
    const tasks = [attempts?.resolveByPayment(payment), this.#reportDoubles(payment)];
    for (const end of await Promise.allSettled(tasks)) {
      if (end.status === "rejected") onError(end.reason);
    }
  }

  async #reportDoubles(payment: Readonly<Record<string, unknown>>): Promise<void> {
    const { attempts, onDoublePayment } = this.#settings;
    if (onDoublePayment === undefined) return;
    const doubles = this.#detector.note(payment);
    for (const double of doubles) onDoublePayment(double);
    if (payment.status !== "completed") return;
    const { account_reference: value, reference } = payment;
    if (typeof value !== "string" || value === "" || typeof reference !== "string") return;
    const others = (await attempts?.otherCompletedPayments?.(value, reference)) ?? [];
    for (const { reference: other = "" } of others) {
      const double: DoublePayment = {
        by: "account_reference",
        value,
        references: [other, reference],
      };
      if (!doubles.some((one) => isSame(one, double))) onDoublePayment(double);
    }
  }
}

const isSame = (one: DoublePayment, other: DoublePayment): boolean =>
  one.by === other.by && one.references[0] === other.references[0];
