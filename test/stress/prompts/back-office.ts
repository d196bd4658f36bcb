import { setTimeout as sleep } from "node:timers/promises";
import { type Gateway, isGatewayError } from "malipo";
import type { FinalStatus, Jobs, Resolution, UnknownOrder } from "./messages.ts";
import { SECOND_LOOKUP_DELAY_MS } from "./time-limits.ts";
import type { TooEarly } from "./worker/recorded-store.ts";

/** The part of the shop that looks up payments and resolves attempts of unknown outcome. */
export type BackOffice = Pick<Jobs, "resolve" | "reconcile" | "listOpen">;

const PER_PAGE = 100;
const FINAL = ["completed", "failed"];

export function createBackOffice(gateway: Gateway, tooEarly: TooEarly): BackOffice {
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
    { order: { id: key }, attempt }: UnknownOrder,
    reference: string | undefined,
  ): Promise<Resolution> {
    tooEarly.delete(key);
    try {
      await gateway.idempotency.resolve(key, reference ?? "not_sent", { attempt });
      return { end: reference === undefined ? "not_sent" : "found" };
    } catch (error) {
      const waitMs = tooEarly.get(key);
      if (waitMs !== undefined) return { end: "too_early", waitMs };
      // A process still holds the lease, or the attempt has been resolved before.
      if (isGatewayError(error) && error.code === "idempotency_conflict") {
        return { end: "conflict" };
      }
      throw error;
    }
  }

  return {
    resolve: async (orders) => {
      const first = await listAll();
      const isMissing = orders.some(({ order }) => !first.has(order.id));
      // A payment may be missing from the list because it is very new.
      if (isMissing) await sleep(SECOND_LOOKUP_DELAY_MS);
      const second = isMissing ? await listAll() : first;
      return Promise.all(
        orders.map((one) => resolveOne(one, first.get(one.order.id) ?? second.get(one.order.id))),
      );
    },
    listOpen: async () => {
      const keys: string[] = [];
      for (const state of ["in_flight", "unknown"] as const) {
        const attempts = await gateway.idempotency.list({ state });
        for await (const { idempotencyKey } of attempts) keys.push(idempotencyKey);
      }
      return keys;
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
