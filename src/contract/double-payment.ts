import { isObject } from "../internal/is-object.ts";

/** Two completed payments that look like one customer who paid twice, or one report that came twice. */
export interface DoublePayment {
  /**
   * What both have in common. `account_reference`: two payments of one order are completed, such as
   * those of the keys `ORDER-42/1` and `ORDER-42/2`. `transaction_id`: two payments name one
   * transaction of the provider, so the money moved once.
   */
  readonly by: "account_reference" | "transaction_id";
  /** The value that both have. */
  readonly value: string;
  /** The references of the two payments, in the order in which they became known. */
  readonly references: readonly [string, string];
}

const NAMES = ["account_reference", "transaction_id"] as const;

const MAX_REMEMBERED = 10_000;

/** Remembers completed payments, and says which of them look like one payment made twice. */
export class DoublePaymentDetector {
  /** The first payment with each value. The oldest are forgotten. */
  readonly #seen = { account_reference: new Map(), transaction_id: new Map() } as Record<
    (typeof NAMES)[number],
    Map<string, string>
  >;
  readonly #maxRemembered: number;

  /** @param maxRemembered - How many values of each kind are remembered. */
  constructor(maxRemembered: number = MAX_REMEMBERED) {
    this.#maxRemembered = maxRemembered;
  }

  /** Notes a payment, whatever its status, and returns the doubles that it makes. */
  note(payment: unknown): DoublePayment[] {
    if (!isObject(payment) || payment.status !== "completed") return [];
    const reference = textOf(payment.reference);
    if (reference === undefined) return [];
    return NAMES.flatMap((by) => {
      const value = textOf(payment[by]);
      const first = value === undefined ? reference : this.#first(by, value, reference);
      return value === undefined || first === reference
        ? []
        : [{ by, value, references: [first, reference] as const }];
    });
  }

  #first(by: (typeof NAMES)[number], value: string, reference: string): string {
    const seen = this.#seen[by];
    const first = seen.get(value);
    if (first !== undefined) return first;
    seen.set(value, reference);
    if (seen.size > this.#maxRemembered) seen.delete(seen.keys().next().value as string);
    return reference;
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) || undefined : undefined;
