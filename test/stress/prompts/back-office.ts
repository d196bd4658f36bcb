import { setTimeout as sleep } from "node:timers/promises";
import { type Gateway, isGatewayError } from "malipo";
import type { Answer, Look } from "./messages.ts";
import type { Order } from "./plan.ts";
import { LOOK_AGAIN_MS } from "./times.ts";

/** Where a merchant finds out what became of payments. */
export interface BackOffice {
  settle(orders: readonly Order[]): Promise<Look[]>;
  reconcile(references: readonly string[]): Promise<Answer[]>;
}

const PER_PAGE = 100;
const SETTLED = ["completed", "failed"];

export function createBackOffice(gateway: Gateway): BackOffice {
  /** References by the shop's own label, of every payment that the service shows. */
  async function lookAtAll(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let page = 1; ; page++) {
      const { items } = await gateway.payments.list({ page, per_page: PER_PAGE });
      for (const { account_reference = "", reference = "" } of items) {
        found.set(account_reference, reference);
      }
      // The newest come first, so what is new meanwhile moves nothing past the eye.
      if (items.length < PER_PAGE) return found;
    }
  }

  async function settleOne(
    { idempotencyKey }: Order,
    reference: string | undefined,
  ): Promise<Look> {
    try {
      await gateway.idempotency.resolve(idempotencyKey, reference ?? "not_sent");
      return reference === undefined ? "not_sent" : "found";
    } catch (error) {
      // Under way by a process that died, until its lease is over; or settled before.
      if (isGatewayError(error) && error.code === "idempotency_conflict") return "stood";
      throw error;
    }
  }

  return {
    settle: async (orders) => {
      const first = await lookAtAll();
      const isMissing = orders.some(({ id }) => !first.has(id));
      // What a list does not show may still be on its way into it.
      if (isMissing) await sleep(LOOK_AGAIN_MS);
      const second = isMissing ? await lookAtAll() : first;
      return Promise.all(
        orders.map((one) => settleOne(one, first.get(one.id) ?? second.get(one.id))),
      );
    },
    reconcile: async (references) => {
      const answers: Answer[] = [];
      for await (const report of gateway.payments.reconcile(references)) {
        if (report.state !== "final" || !SETTLED.includes(report.payment.status)) continue;
        answers.push({ reference: report.reference, status: report.payment.status });
      }
      return answers;
    },
  };
}
