import { setTimeout as sleep } from "node:timers/promises";
import { type Gateway, isGatewayError } from "malipo";
import type { FinalStatus, Resolution } from "./messages.ts";
import type { Order } from "./plan.ts";
import { SECOND_LOOKUP_DELAY_MS } from "./time-limits.ts";

/** The part of the shop that looks up payments and resolves attempts of unknown outcome. */
export interface BackOffice {
  resolve(orders: readonly Order[]): Promise<Resolution[]>;
  reconcile(references: readonly string[]): Promise<FinalStatus[]>;
}

const PER_PAGE = 100;
const FINAL = ["completed", "failed"];

export function createBackOffice(gateway: Gateway): BackOffice {
  /** The reference of every payment that the service lists, by the shop's own label. */
  async function listAll(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (let page = 1; ; page++) {
      const { items } = await gateway.payments.list({ page, per_page: PER_PAGE });
      for (const { account_reference = "", reference = "" } of items) {
        found.set(account_reference, reference);
      }
      // The newest come first: payments that are made in the meantime hide none from this loop.
      if (items.length < PER_PAGE) return found;
    }
  }

  async function resolveOne(
    { idempotencyKey }: Order,
    reference: string | undefined,
  ): Promise<Resolution> {
    try {
      await gateway.idempotency.resolve(idempotencyKey, reference ?? "not_sent");
      return reference === undefined ? "not_sent" : "found";
    } catch (error) {
      // A process that died still holds the lease, or the attempt has been resolved before.
      if (isGatewayError(error) && error.code === "idempotency_conflict") return "conflict";
      throw error;
    }
  }

  return {
    resolve: async (orders) => {
      const first = await listAll();
      const isMissing = orders.some(({ id }) => !first.has(id));
      // A payment may be missing from the list because it is very new.
      if (isMissing) await sleep(SECOND_LOOKUP_DELAY_MS);
      const second = isMissing ? await listAll() : first;
      return Promise.all(
        orders.map((one) => resolveOne(one, first.get(one.id) ?? second.get(one.id))),
      );
    },
    reconcile: async (references) => {
      const results: FinalStatus[] = [];
      for await (const report of gateway.payments.reconcile(references)) {
        if (report.state !== "final" || !FINAL.includes(report.payment.status)) continue;
        results.push({ reference: report.reference, status: report.payment.status });
      }
      return results;
    },
  };
}
