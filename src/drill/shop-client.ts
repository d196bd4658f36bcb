import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CaseRun, Look, Scene } from "./case-run.ts";
import { pace, until } from "./machine-pace.ts";
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
/** How long people wait for the id of an order that the shop itself gives. */
const MAX_ID_MS = 15_000;
/** A shop that takes longer for a page has no time on a busy machine: its own limits may have run out. */
const SLOW_LOOK_MS = 1_000;
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

/** The routes of a shop that do something with an order beside paying it. */
export type Route = "cancel" | "refund" | "update";

const ROUTES: Readonly<Record<Route, { who: "customer" | "staff"; did: string }>> = {
  cancel: { who: "customer", did: "canceled the order" },
  refund: { who: "staff", did: "paid the money back" },
  update: { who: "customer", did: "changed the order" },
};

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** How many lines name an order. Its id is a whole word there: order 1 has no part in the lines of 12. */
export function countLines(text: string, id: string): number {
  const escaped = id.replace(/\W/g, "\\$&");
  const word = new RegExp(`(?<![\\w-]|\\w\\.)${escaped}(?![\\w-]|\\.\\w)`);
  return text.split("\n").filter((line) => word.test(line)).length;
}

/** What `{name}` stands for in a request. */
const valuesOf = (
  run: CaseRun,
  { phone = run.typedPhone, amount = run.changedPrice ?? run.amount }: Click = {},
) => ({
  ...{
    phone,
    amount,
    order: run.order,
    uuid: run.uuid,
    id: run.id,
    attempts: Math.max(run.clicks - 1, 0),
  },
});

/** The customers of a shop: they order, and read what the shop shows. */
export class Customers {
  readonly #scene: Scene;
  readonly #folder: string;
  readonly #onResponse: (text: string) => void;
  #turn = 0;

  /** @param folder - The folder of the shop's data. */
  constructor(scene: Scene, folder: string, onResponse: (text: string) => void) {
    this.#scene = scene;
    this.#folder = folder;
    this.#onResponse = onResponse;
  }

  async #send(
    request: RequestTemplate,
    values: Parameters<typeof sendRequest>[2] = {},
    {
      shop = this.#scene.shops[0],
      timeoutMs = TIMEOUT_MS,
    }: { shop?: ShopProcess | undefined; timeoutMs?: number } = {},
  ): Promise<ShopResponse> {
    const origin = shop?.origin ?? "";
    const { headers } = this.#scene.settings;
    const maxMs = pace.scale(timeoutMs);
    const response = await sendRequest(origin, request, values, headers, maxMs);
    this.#onResponse(`${JSON.stringify([...response.headers])}${response.body}`);
    return response;
  }

  /** Orders and pays, or pays the order that is there. */
  async click(run: CaseRun, click: Click = {}): Promise<void> {
    const { again, pay } = this.#scene.settings;
    const isOrder = run.id === undefined || pay === undefined || click.amount !== undefined;
    if (click.isAgain && again !== undefined) return this.#press(run, again, click);
    if (isOrder) await this.#press(run, run.template, click);
    if (pay !== undefined) await this.#pay(run, pay, click);
  }

  async #pay(run: CaseRun, pay: RequestTemplate, click: Click = {}): Promise<void> {
    if (run.id !== undefined || !needsId(pay)) await this.#press(run, pay, click);
  }

  async #press(
    run: CaseRun,
    template: RequestTemplate,
    { isAgain = false, shop, ...other }: Click,
  ): Promise<void> {
    const { orderId, slowMs, pay } = this.#scene.settings;
    const timeoutMs = slowMs + TIMEOUT_MS;
    const values = valuesOf(run, other);
    const response = await run.whileWaiting(() =>
      this.#send(template, values, { shop, timeoutMs }).catch(() => undefined),
    );
    const result = response?.status ?? "no response";
    const what = other.phone
      ? "another phone"
      : other.amount
        ? "another amount"
        : isAgain
          ? "again"
          : "";
    const line = `${template.method} ${template.path}`;
    const did = template === pay ? "paid" : "ordered";
    run.note("customer", `${did} ${what}: ${line} -> ${result}`.replace(" :", ":"));
    if (response === undefined || isAgain) return;
    const isFirst = run.id === undefined || template === pay;
    if (!isFirst) return;
    const isRejected = response.status >= 400;
    // An order that is still to be paid is neither taken nor rejected.
    if (isRejected || template === pay || pay === undefined) run.orderStatus ??= response.status;
    if (isRejected) {
      const quoted = JSON.stringify(response.body.slice(0, MAX_QUOTED));
      run.rejection ??= `${line} gave ${response.status}: ${quoted}`;
      return;
    }
    if (template === pay) return;
    for (const place of orderId) run.id ??= place(response);
  }

  /** Orders once, or twice at once. If ordering and paying are two requests, the second one is sent twice. */
  async order(run: CaseRun): Promise<void> {
    const { settings, hasFaults } = this.#scene;
    // A shop may count the pieces that it keeps for a customer.
    const isTwice =
      (settings.doubleClick && run.case.act !== "lastPiece") ||
      (hasFaults && run.case.act === "clicks");
    run.clicked();
    const { pay } = settings;
    if (pay !== undefined) await this.#press(run, run.template, {});
    const once = () => (pay === undefined ? this.click(run) : this.#pay(run, pay));
    await Promise.all([once(), isTwice && once()]);
  }

  /**
   * Cancels, pays back or changes an order by the shop's route for it, which any of its processes may get. Resolves with
   * what the shop makes of it: it may reject it (4xx) while a phone rings.
   */
  async manage(
    run: CaseRun,
    route: Route,
    amount?: number,
  ): Promise<"accepted" | "rejected" | "failed"> {
    const { settings, shops } = this.#scene;
    const template = settings[route];
    if (template === undefined) return "failed";
    const line = `${template.method} ${template.path}`;
    // The phone may ring before the shop has answered the order.
    const hasId = () => run.id !== undefined;
    if (needsId(template) && !(await until(hasId, MAX_ID_MS))) {
      run.rejectedRoute = `--${route}: ${line} was not sent, since the shop gave no id`;
      return "failed";
    }
    const values = valuesOf(run, amount === undefined ? {} : { amount });
    const sent = this.#send(template, values, { shop: shops.at(-1) });
    const response = await sent.catch(() => undefined);
    const { who, did } = ROUTES[route];
    const what = amount === undefined ? did : `${did} to ${run.money(amount)}`;
    run.note(who, `${what}: ${line} -> ${response?.status ?? "no response"}`);
    if (response !== undefined && response.status < 400) return "accepted";
    const quoted = JSON.stringify(response?.body.slice(0, MAX_QUOTED) ?? "");
    run.rejectedRoute = `--${route}: ${line} gave ${response?.status ?? "no response"}: ${quoted}`;
    return response !== undefined && response.status < 500 ? "rejected" : "failed";
  }

  /** Reads the status once while the order is under way, and checks it. */
  async watch(run: CaseRun): Promise<void> {
    const { settings, shops } = this.#scene;
    if (run.id === undefined && needsId(settings.status)) return;
    const up = shops.filter((one) => one.wasUpSince(performance.now()));
    const shop = up[this.#turn++ % up.length];
    if (shop === undefined) return;
    const began = performance.now();
    await run.updatePayments();
    const before = new Map(run.payments.map((one) => [one.reference, one.status]));
    const seen = await this.#look(run, shop);
    await run.updatePayments();
    if (!shop.wasUpSince(began)) return;
    const tookMs = performance.now() - began;
    if (tookMs > SLOW_LOOK_MS && pace.wasBusySince(began)) {
      run.wasDelayed(`the shop took ${seconds(tookMs)} to show the order`);
    }
    run.saw(seen);
    checkLook(run, seen, before);
  }

  /** Reads what the service and the shop show of an order, and what the customer got. */
  async read(run: CaseRun): Promise<void> {
    await run.updatePayments();
    const { payments, orderStatus, id } = run;
    const before = new Map(payments.map((one) => [one.reference, one.status]));
    const isUnknown = payments.length === 0;
    const wasRejected = isUnknown && orderStatus !== undefined && orderStatus >= 400;
    run.canAsk = !wasRejected && (id !== undefined || !needsId(this.#scene.settings.status));
    if (!run.canAsk) return;
    const seen = await this.#look(run);
    await run.updatePayments();
    run.saw(seen);
    checkLook(run, seen, before);
    // The shop died before it stored the order: the customer has no response, and no prompt.
    const wasLost = isUnknown && orderStatus === undefined;
    if (wasLost && run.look.shown.startsWith("404")) run.canAsk = false;
  }

  /** @throws {Error} if the nightly job fails. */
  async runNightly(): Promise<void> {
    const { nightly } = this.#scene.settings;
    if (nightly === undefined) return;
    const result = await this.#send(nightly, {}, { timeoutMs: NIGHTLY_TIMEOUT_MS }).then(
      (response) => response.status,
      (error: Error) => error.message,
    );
    if (typeof result === "number" && result < 400) return;
    throw new Error(
      `The nightly job failed: the shop returned ${result} for ${nightly.method} ${nightly.path} (--nightly).`,
    );
  }

  /** What the customer sees now. */
  async #look(run: CaseRun, shop?: ShopProcess): Promise<Look> {
    const { status, checks } = this.#scene.settings;
    const askedAt = performance.now();
    const response = await this.#send(status, valuesOf(run), { shop }).catch(
      (error: Error) => error,
    );
    const page = response instanceof Error ? undefined : response;
    const counted = await this.#countEffects(run, shop, page);
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

  #countInFile(run: CaseRun, file: string): number {
    const path = resolve(this.#folder, file);
    return existsSync(path) ? countLines(readFileSync(path, "utf8"), run.id ?? run.order) : 0;
  }

  /** What the customer got; `undefined` if it could not be read. */
  async #countEffects(
    run: CaseRun,
    shop: ShopProcess | undefined,
    page: ShopResponse | undefined,
  ): Promise<number | undefined> {
    const { effects, status } = this.#scene.settings;
    if (effects === undefined) return undefined;
    if ("file" in effects) return this.#countInFile(run, effects.file);
    const { request, count } = effects;
    if (run.id === undefined && needsId(request)) return undefined;
    const isSame = request.method === status.method && request.path === status.path;
    if (isSame && page !== undefined) return count(page);
    const response = await this.#send(request, valuesOf(run), { shop }).catch(() => undefined);
    return response && count(response);
  }
}
