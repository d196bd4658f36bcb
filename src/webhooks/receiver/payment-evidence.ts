import { type DoublePayment, DoublePaymentDetector } from "../../contract/double-payment.ts";
import type { WebhookEvent } from "../../contract/events.ts";
import type { ReceiverSettings } from "./check-options.ts";
import type { AttemptResolver } from "./options.ts";

type Payment = Readonly<Record<string, unknown>>;

/** What stored events say about payments, beyond what handlers do with them. */
export class PaymentEvidence {
  readonly #settings: ReceiverSettings;
  readonly #detector = new DoublePaymentDetector();

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
  }

  /** Uses an event. A failure is reported, and keeps no handler from its event. Never rejects. */
  async use({ event, data }: WebhookEvent, merchant: string | undefined): Promise<void> {
    if (!event.startsWith("payment.")) return;
    const payment = data as Payment;
    const { attemptsOf, onError } = this.#settings;
    try {
      const attempts = attemptsOf(merchant);
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
    const { onDoublePayment } = this.#settings;
    if (onDoublePayment === undefined) return;
    const doubles = this.#detector
      .note(inScope(payment, merchant))
      .map((double) => outOfScope(double, merchant));
    for (const double of doubles) onDoublePayment(double, merchant);
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
      if (!doubles.some((one) => isSame(one, double))) onDoublePayment(double, merchant);
    }
  }
}

const isSame = (one: DoublePayment, other: DoublePayment): boolean =>
  one.by === other.by && one.references[0] === other.references[0];

/** The payment with values that no other merchant's payment has. */
function inScope(payment: Payment, merchant: string | undefined): Payment {
  if (merchant === undefined) return payment;
  const scoped = (value: unknown) =>
    typeof value === "number" || (typeof value === "string" && value !== "")
      ? JSON.stringify([merchant, String(value)])
      : value;
  const { account_reference, transaction_id } = payment;
  return {
    ...payment,
    account_reference: scoped(account_reference),
    transaction_id: scoped(transaction_id),
  };
}

const outOfScope = (double: DoublePayment, merchant: string | undefined): DoublePayment =>
  merchant === undefined ? double : { ...double, value: JSON.parse(double.value)[1] };
