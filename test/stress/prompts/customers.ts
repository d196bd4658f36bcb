import type { Sandbox } from "malipo/sandbox";
import type { Act, Order } from "./plan.ts";

/** Those whose phones are prompted. */
export interface Customers {
  /** A prompt appears on somebody's phone. */
  see(prompt: { account_reference: string; reference: string }): void;
  /** Resolves when everybody has done what they were about to do. */
  settled(): Promise<void>;
}

const ACTIONS = {
  approve: "approve",
  cancel: "cancel",
  wrongPin: "enterWrongPin",
  ignore: "ignore",
} as const satisfies Record<Act, string>;

export function createCustomers(sandbox: Sandbox, orders: readonly Order[]): Customers {
  const byLabel = new Map(orders.map((order) => [order.id, order]));
  for (const { phone, poor } of orders) if (poor) sandbox.phone(phone).setBalance("0.00");
  const seen = new Set<string>();
  const deciding = new Set<Promise<void>>();

  async function decide({ phone: number, act, afterMs }: Order, reference: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const phone = sandbox.phone(number);
    // Gone from the screen: it expired.
    if (phone.prompt?.reference === reference) phone[ACTIONS[act]]();
  }

  return {
    see: ({ account_reference, reference }) => {
      const order = byLabel.get(account_reference);
      // The service tells of a prompt again where it was not heard.
      if (order === undefined || seen.has(reference)) return;
      seen.add(reference);
      const decision: Promise<void> = decide(order, reference).then(() => {
        deciding.delete(decision);
      });
      deciding.add(decision);
    },
    settled: async () => {
      while (deciding.size > 0) await Promise.all(deciding);
    },
  };
}
