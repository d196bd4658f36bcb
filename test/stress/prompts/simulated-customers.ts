import type { Sandbox } from "malipo/sandbox";
import type { Act, Order } from "./plan.ts";

/** The people whose phones are prompted. */
export interface SimulatedCustomers {
  /** A prompt appears on a customer's phone. */
  see(prompt: { account_reference: string; reference: string }): void;
  /** Resolves when every customer has acted. */
  idle(): Promise<void>;
}

const ACTIONS = {
  approve: "approve",
  cancel: "cancel",
  wrongPin: "enterWrongPin",
  ignore: "ignore",
} as const satisfies Record<Act, string>;

export function createSimulatedCustomers(
  sandbox: Sandbox,
  orders: readonly Order[],
): SimulatedCustomers {
  const byLabel = new Map(orders.map((order) => [order.id, order]));
  for (const { phone, hasNoMoney } of orders)
    if (hasNoMoney) sandbox.phone(phone).setBalance("0.00");
  const seen = new Set<string>();
  const deciding = new Set<Promise<void>>();

  async function decide({ phone: number, act, afterMs }: Order, reference: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const phone = sandbox.phone(number);
    // Otherwise the prompt has expired.
    if (phone.prompt?.reference === reference) phone[ACTIONS[act]]();
  }

  return {
    see: ({ account_reference, reference }) => {
      const order = byLabel.get(account_reference);
      // The service redelivers the event if its delivery failed.
      if (order === undefined || seen.has(reference)) return;
      seen.add(reference);
      const decision: Promise<void> = decide(order, reference).then(() => {
        deciding.delete(decision);
      });
      deciding.add(decision);
    },
    idle: async () => {
      while (deciding.size > 0) await Promise.all(deciding);
    },
  };
}
