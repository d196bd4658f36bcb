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

interface ShopClientOptions {
  readonly shop: ShopProcess;
  /** The folder of the shop's data. */
  readonly folder: string;
  readonly onResponse: (text: string) => void;
}

/** Does what a customer of the shop does: orders, and reads what the shop shows. */
export class ShopClient {
  readonly #settings: DrillSettings;
  readonly #options: ShopClientOptions;

  constructor(settings: DrillSettings, options: ShopClientOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  async #send(
    request: RequestTemplate,
    { phone, amount, order, id }: Partial<CaseRun> = {},
    timeoutMs = TIMEOUT_MS,
  ): Promise<ShopResponse> {
    const { shop, onResponse } = this.#options;
    const values = { phone, amount, order, id };
    const { headers } = this.#settings;
    const response = await sendRequest(shop.origin, request, values, headers, timeoutMs);
    onResponse(`${JSON.stringify([...response.headers])}${response.body}`);
    return response;
  }

  /** Orders once, or twice at once. */
  async order(run: CaseRun): Promise<void> {
    const { order, orderId, doubleClick, slowMs } = this.#settings;
    const click = async () => {
      const response = await this.#send(order, run, slowMs + TIMEOUT_MS).catch(() => undefined);
      const result = response?.status ?? "no response";
      run.note("customer", `ordered: ${order.method} ${order.path} -> ${result}`);
      if (response === undefined) return;
      run.orderStatus = response.status;
      if (response.status >= 400) return;
      for (const place of orderId) run.id ??= place(response);
    };
    await Promise.all(doubleClick ? [click(), click()] : [click()]);
  }

  /** Reads what the service and the shop show of an order, and what the customer got. */
  async read(run: CaseRun): Promise<void> {
    await run.updatePayments();
    const { status } = this.#settings;
    const { payments, orderStatus, id } = run;
    const wasRejected = payments.length === 0 && orderStatus !== undefined && orderStatus >= 400;
    run.canAsk = !wasRejected && (id !== undefined || !needsId(status));
    if (run.canAsk) run.shown = await this.#readStatus(run);
    // The shop died before it stored the order: the customer has no response, and no prompt.
    const wasLost = payments.length === 0 && orderStatus === undefined;
    if (wasLost && run.shown.startsWith("404")) run.canAsk = false;
    run.effects = await this.#countEffects(run);
  }

  async #readStatus(run: CaseRun): Promise<string> {
    const { status, checks } = this.#settings;
    const response = await this.#send(status, run).catch((error: Error) => error);
    if (response instanceof Error) return `nothing (${response.message})`;
    if (response.status >= 400) return `${response.status} when it is asked for the order`;
    const shown = (["paid", "failed", "open"] as const).find((name) => checks[name](response));
    run.wasRead ||= shown !== undefined;
    return shown ?? "something that is neither paid, failed nor open";
  }

  async #countEffects(run: CaseRun): Promise<number | undefined> {
    const { effects } = this.#settings;
    if (effects === undefined) return undefined;
    if ("file" in effects) {
      const file = resolve(this.#options.folder, effects.file);
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      return lines.filter((line) => line.includes(run.id ?? run.order)).length;
    }
    if (run.id === undefined && needsId(effects.request)) return undefined;
    const response = await this.#send(effects.request, run).catch(() => undefined);
    return response && effects.count(response);
  }

  /** @throws {Error} if the nightly job fails. */
  async runNightly(): Promise<void> {
    const { nightly } = this.#settings;
    if (nightly === undefined) return;
    const result = await this.#send(nightly, {}, NIGHTLY_TIMEOUT_MS).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
    if (typeof result === "number" && result < 400) return;
    throw new Error(
      `The nightly job failed: the shop returned ${result} for ${nightly.method} ${nightly.path} (--nightly).`,
    );
  }
}
