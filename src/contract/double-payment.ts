import { isObject } from "../internal/is-object.ts";
import { idText } from "../internal/json.ts";
import { OldestFirst } from "../internal/oldest-first.ts";

/** Two completed payments that look like one customer who paid twice, or like one payment with two references. */
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

const MAX_REMEMBERED = 20_000;

/** Remembers completed payments, and returns which of them look like one payment made twice. */
export class DoublePaymentDetector {
  /** The first payment with each value, for each owner. */
  readonly #seen = new Map<string, OldestFirst<string>>();
  readonly #maxRemembered: number;
  #remembered = 0;

  /** @param maxRemembered - How many values are remembered, of all owners. */
  constructor(maxRemembered: number = MAX_REMEMBERED) {
    this.#maxRemembered = maxRemembered;
  }

  /**
   * Notes a payment, whatever its status, and returns the doubles that it makes.
   *
   * @param owner - Whose payment it is: payments of two owners are never doubles.
   */
  note(payment: unknown, owner = ""): DoublePayment[] {
    if (!isObject(payment) || payment.status !== "completed") return [];
    const reference = idText(payment.reference);
    if (reference === undefined) return [];
    return NAMES.flatMap((by) => {
      const value = idText(payment[by]);
      const first = value === undefined ? reference : this.#first(owner, by, value, reference);
      return value === undefined || first === reference
        ? []
        : [{ by, value, references: [first, reference] as const }];
    });
  }

  #first(owner: string, by: string, value: string, reference: string): string {
    const seen = this.#seen.get(owner) ?? new OldestFirst<string>();
    this.#seen.set(owner, seen);
    const name = `${by} ${value}`;
    const first = seen.get(name);
    if (first !== undefined) return first;
    seen.set(name, reference);
    if (++this.#remembered > this.#maxRemembered) this.#forgetOne();
    return reference;
  }

  /** Forgets a value of the owner with the most, so that no owner makes another one forget. */
  #forgetOne(): void {
    let [owner, most] = ["", new OldestFirst<string>()];
    for (const [one, seen] of this.#seen) if (seen.size > most.size) [owner, most] = [one, seen];
    most.forgetOldest();
    if (most.size === 0) this.#seen.delete(owner);
    this.#remembered--;
  }
}
