import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CaseRun } from "./case-run.ts";
import {
  needsId,
  type RequestTemplate,
  type ShopResponse,
  sendRequest,
} from "./request-template.ts";
import type { DrillSettings } from "./settings.ts";
import type { ShopProcess } from "./shop-process.ts";

const TIMEOUT_MS = 10_000;
const NIGHTLY_TIMEOUT_MS = 60_000;

/**
 * Does what a customer of the shop does: orders, and reads what the shop shows.
 *
 * @param folder - The folder of the shop's data.
 */
export function createCustomers(
  settings: DrillSettings,
  shop: ShopProcess,
  folder: string,
  onResponse: (text: string) => void,
) {
  const { order, orderId, status, checks, effects, nightly, headers } = settings;

  async function send(
    request: RequestTemplate,
    { phone, amount, order, id }: Partial<CaseRun> = {},
    timeoutMs = TIMEOUT_MS,
  ): Promise<ShopResponse> {
    const values = { phone, amount, order, id };
    const response = await sendRequest(shop.origin, request, values, headers, timeoutMs);
    onResponse(`${JSON.stringify([...response.headers])}${response.body}`);
    return response;
  }

  async function click(run: CaseRun): Promise<void> {
    const timeoutMs = settings.slowMs + TIMEOUT_MS;
    const response = await send(order, run, timeoutMs).catch(() => undefined);
    const result = response?.status ?? "no response";
    run.note("customer", `ordered: ${order.method} ${order.path} -> ${result}`);
    if (response === undefined) return;
    run.orderStatus = response.status;
    if (response.status >= 400) return;
    for (const place of orderId) run.id ??= place(response);
  }

  async function readStatus(run: CaseRun): Promise<string> {
    const response = await send(status, run).catch((error: Error) => error);
    if (response instanceof Error) return `nothing (${response.message})`;
    if (response.status >= 400) return `${response.status} when it is asked for the order`;
    const shown = (["paid", "failed", "open"] as const).find((name) => checks[name](response));
    run.wasRead ||= shown !== undefined;
    return shown ?? "something that is neither paid, failed nor open";
  }

  async function countEffects(run: CaseRun): Promise<number | undefined> {
    if (effects === undefined) return undefined;
    if ("file" in effects) {
      const file = resolve(folder, effects.file);
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      return lines.filter((line) => line.includes(run.id ?? run.order)).length;
    }
    if (run.id === undefined && needsId(effects.request)) return undefined;
    const response = await send(effects.request, run).catch(() => undefined);
    return response && effects.count(response);
  }

  return {
    /** Orders once, or twice at once. */
    order: async (run: CaseRun): Promise<void> => {
      await Promise.all([click(run), settings.doubleClick && click(run)]);
    },

    /** Reads what the service and the shop show of an order, and what the customer got. */
    read: async (run: CaseRun): Promise<void> => {
      await run.updatePayments();
      const { payments, orderStatus, id } = run;
      const isUnknown = payments.length === 0;
      const wasRejected = isUnknown && orderStatus !== undefined && orderStatus >= 400;
      run.canAsk = !wasRejected && (id !== undefined || !needsId(status));
      if (run.canAsk) run.shown = await readStatus(run);
      // The shop died before it stored the order: the customer has no response, and no prompt.
      const wasLost = isUnknown && orderStatus === undefined;
      if (wasLost && run.shown.startsWith("404")) run.canAsk = false;
      run.effects = await countEffects(run);
    },

    /** @throws {Error} if the nightly job fails. */
    runNightly: async (): Promise<void> => {
      if (nightly === undefined) return;
      const result = await send(nightly, {}, NIGHTLY_TIMEOUT_MS).then(
        (response) => response.status,
        (error: Error) => error.message,
      );
      if (typeof result === "number" && result < 400) return;
      throw new Error(
        `The nightly job failed: the shop returned ${result} for ${nightly.method} ${nightly.path} (--nightly).`,
      );
    },
  };
}
