import { setTimeout as sleep } from "node:timers/promises";
import type { Sandbox } from "malipo/sandbox";

/** What a customer does with a prompt. */
export type Act = "approve" | "cancel" | "enterWrongPin" | "ignore";

/** An order, as far as its customer is concerned. Its id is the account reference. */
export interface CustomersOrder {
  readonly id: string;
  readonly phone: string;
  /** What the customer does with each prompt; the last one with all further ones. */
  readonly acts: readonly Act[];
  /** How long the customer takes to act, in milliseconds. */
  readonly afterMs: number;
}

export interface Prompt {
  readonly account_reference: string;
  readonly reference: string;
  readonly phone: string;
}

/** How many digits of a number are the same in each notation. */
const DIGITS = 9;

export const isSamePhone = (one: string, other: string | undefined): boolean =>
  one.slice(-DIGITS) === other?.slice(-DIGITS);

/** The people whose phones are prompted. */
export class Customers<Order extends CustomersOrder> {
  readonly #sandbox: () => Sandbox;
  readonly #order: (id: string) => Order | undefined;
  readonly #mayAct: (order: Order) => Promise<unknown>;
  readonly #prompts = new Set<string>();
  /** How many prompts the customer of each order has seen. */
  readonly #seen = new Map<string, number>();
  readonly #acting = new Set<Promise<void>>();

  /** @param mayAct - Resolves when the customer of an order may act. */
  constructor(
    sandbox: () => Sandbox,
    order: (id: string) => Order | undefined,
    mayAct: (order: Order) => Promise<unknown> = async () => {},
  ) {
    this.#sandbox = sandbox;
    this.#order = order;
    this.#mayAct = mayAct;
  }

  /** A prompt appears on a phone. Returns whether it is new: the service delivers its event again if that failed. */
  see({ account_reference, reference, phone }: Prompt): boolean {
    const order = this.#order(account_reference);
    if (order === undefined || this.#prompts.has(reference)) return false;
    // Anyone may pay with the label of an order, from another phone.
    if (!isSamePhone(phone, order.phone)) return false;
    const { id, acts } = order;
    const seen = this.#seen.get(id) ?? 0;
    this.#seen.set(id, seen + 1);
    this.#prompts.add(reference);
    const act = acts[Math.min(seen, acts.length - 1)] ?? "approve";
    const acted: Promise<void> = this.#answer(order, reference, act).finally(() => {
      this.#acting.delete(acted);
    });
    this.#acting.add(acted);
    return true;
  }

  async #answer(order: Order, reference: string, act: Act): Promise<void> {
    await sleep(order.afterMs);
    await this.#mayAct(order);
    const phone = this.#sandbox().phone(order.phone);
    // Otherwise the prompt has expired.
    if (phone.prompt?.reference === reference) phone[act]();
  }

  /** Resolves when every customer has acted. */
  async idle(): Promise<void> {
    while (this.#acting.size > 0) await Promise.all(this.#acting);
  }
}
