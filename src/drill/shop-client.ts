import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CaseRun, Look, Scene } from "./case-run.ts";
import { checkLook } from "./promises.ts";
import {
  needsId,
  type RequestTemplate,
  type ShopResponse,
  sendRequest,
} from "./request-template.ts";
import type { ShopProcess } from "./shop-process.ts";

const TIMEOUT_MS = 10_000;
const NIGHTLY_TIMEOUT_MS = 60_000;
/** How much of a body an error quotes. */
const MAX_QUOTED = 300;

/** What another customer, or the same one later, sends in the place of the order's own values. */
interface Click {
  readonly phone?: string;
  readonly amount?: number;
  /** By `--again`. */
  readonly isAgain?: boolean;
  /** To which process of the shop. */
  readonly shop?: ShopProcess | undefined;
}

/** How many lines name an order. Its id is a whole word there: order 1 has no part in the lines of 12. */
export function countLines(text: string, id: string): number {
  const escaped = id.replace(/\W/g, "\\$&");
  const word = new RegExp(`(?<![\\w-]|\\w\\.)${escaped}(?![\\w-]|\\.\\w)`);
  return text.split("\n").filter((line) => word.test(line)).length;
}

export type Customers = ReturnType<typeof createCustomers>;

/**
 * Does what a customer of the shop does: orders, and reads what the shop shows.
 *
 * @param folder - The folder of the shop's data.
 */
export function createCustomers(scene: Scene, folder: string, onResponse: (text: string) => void) {
  const { settings, shops } = scene;
  const { order, again, orderId, status, checks, effects, nightly, headers } = settings;
  let turn = 0;

  async function send(
    request: RequestTemplate,
    values: Parameters<typeof sendRequest>[2] = {},
    {
      shop = shops[0],
      timeoutMs = TIMEOUT_MS,
    }: { shop?: ShopProcess | undefined; timeoutMs?: number } = {},
  ): Promise<ShopResponse> {
    const origin = shop?.origin ?? "";
    const response = await sendRequest(origin, request, values, headers, timeoutMs);
    onResponse(`${JSON.stringify([...response.headers])}${response.body}`);
    return response;
  }

  /** What `{name}` stands for in a request. */
  const valuesOf = (run: CaseRun, { phone = run.phone, amount = run.amount }: Click = {}) => ({
    ...{ phone, amount, order: run.order, id: run.id, attempts: Math.max(run.clicks - 1, 0) },
  });

  async function click(
    run: CaseRun,
    { isAgain = false, shop, ...other }: Click = {},
  ): Promise<void> {
    const template = isAgain && again !== undefined ? again : order;
    const timeoutMs = settings.slowMs + TIMEOUT_MS;
    const values = valuesOf(run, other);
    const response = await run.whileWaiting(() =>
      send(template, values, { shop, timeoutMs }).catch(() => undefined),
    );
    const result = response?.status ?? "no response";
    const what = other.phone
      ? "another phone"
      : other.amount
        ? "another amount"
        : isAgain
          ? "again"
          : "";
    run.note(
      "customer",
      `ordered ${what}: ${template.method} ${template.path} -> ${result}`.replace(" :", ":"),
    );
    if (response === undefined || run.id !== undefined || isAgain) return;
    run.orderStatus ??= response.status;
    if (response.status >= 400) {
      const quoted = JSON.stringify(response.body.slice(0, MAX_QUOTED));
      run.rejection ??= `${template.method} ${template.path} gave ${response.status}: ${quoted}`;
      return;
    }
    for (const place of orderId) run.id ??= place(response);
  }

  function countInFile(run: CaseRun, file: string): number {
    const path = resolve(folder, file);
    return existsSync(path) ? countLines(readFileSync(path, "utf8"), run.id ?? run.order) : 0;
  }

  /** What the customer got; `undefined` if it could not be read. */
  async function countEffects(
    run: CaseRun,
    shop: ShopProcess | undefined,
    page: ShopResponse | undefined,
  ): Promise<number | undefined> {
    if (effects === undefined) return undefined;
    if ("file" in effects) return countInFile(run, effects.file);
    const { request, count } = effects;
    if (run.id === undefined && needsId(request)) return undefined;
    const isSame = request.method === status.method && request.path === status.path;
    if (isSame && page !== undefined) return count(page);
    const response = await send(request, valuesOf(run), { shop }).catch(() => undefined);
    return response && count(response);
  }

  /** What the customer sees now. */
  async function look(run: CaseRun, shop?: ShopProcess): Promise<Look> {
    const askedAt = performance.now();
    const response = await send(status, valuesOf(run), { shop }).catch((error: Error) => error);
    const page = response instanceof Error ? undefined : response;
    const counted = await countEffects(run, shop, page);
    if (response instanceof Error) {
      return { askedAt, shown: `nothing (${response.message})`, effects: counted };
    }
    const quoted = JSON.stringify(response.body.slice(0, MAX_QUOTED));
    // A page that says both is still open: it tells why.
    const names = ["paid", "open", "failed"] as const;
    const shown =
      response.status >= 400
        ? `${response.status} when it is asked for the order`
        : (names.find((name) => checks[name](response)) ??
          `something that is neither paid, failed nor open: ${quoted}`);
    run.wasRead ||= ["paid", "open", "failed"].includes(shown);
    return { askedAt, shown, effects: counted };
  }

  return {
    click,

    /** Orders once, or twice at once. */
    order: async (run: CaseRun): Promise<void> => {
      run.clicked();
      await Promise.all([click(run), settings.doubleClick && click(run)]);
    },

    /** Reads the status once while the order is under way, and checks it. */
    watch: async (run: CaseRun): Promise<void> => {
      if (run.id === undefined && needsId(status)) return;
      const up = shops.filter((one) => one.wasUpSince(performance.now()));
      const shop = up[turn++ % up.length];
      if (shop === undefined) return;
      const began = performance.now();
      await run.updatePayments();
      const before = new Map(run.payments.map((one) => [one.reference, one.status]));
      const seen = await look(run, shop);
      await run.updatePayments();
      if (!shop.wasUpSince(began)) return;
      run.saw(seen);
      checkLook(run, seen, before);
    },

    /** Reads what the service and the shop show of an order, and what the customer got. */
    read: async (run: CaseRun): Promise<void> => {
      await run.updatePayments();
      const { payments, orderStatus, id } = run;
      const before = new Map(payments.map((one) => [one.reference, one.status]));
      const isUnknown = payments.length === 0;
      const wasRejected = isUnknown && orderStatus !== undefined && orderStatus >= 400;
      run.canAsk = !wasRejected && (id !== undefined || !needsId(status));
      if (!run.canAsk) return;
      const seen = await look(run);
      await run.updatePayments();
      run.saw(seen);
      checkLook(run, seen, before);
      // The shop died before it stored the order: the customer has no response, and no prompt.
      const wasLost = isUnknown && orderStatus === undefined;
      if (wasLost && run.look.shown.startsWith("404")) run.canAsk = false;
    },

    /** @throws {Error} if the nightly job fails. */
    runNightly: async (): Promise<void> => {
      if (nightly === undefined) return;
      const result = await send(nightly, {}, { timeoutMs: NIGHTLY_TIMEOUT_MS }).then(
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
