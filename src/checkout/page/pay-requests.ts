import { isGatewayError } from "../../errors/any.ts";
import { isCrossSite } from "../../html/serving.ts";
import { readBody } from "../../internal/read-body.ts";
import type { CheckoutStore } from "../orders/checkout-store.ts";
import { type AskedCountries, readCustomerPhone } from "../orders/customer-phone.ts";
import type { OrderState } from "../rules/order-state.ts";
import { customerView, orderView } from "../rules/view.ts";
import type { PageSettings } from "./page-options.ts";
import { languageOf } from "./page-texts.ts";
import { type PayFrame, payDocument, payFrame } from "./pay-document.ts";
import { orderOfLink } from "./pay-link.ts";
import { noticeView, orderPage, type Rejected, type View } from "./pay-view.ts";
import type { Words } from "./words.ts";

/** What the pages use of a checkout. */
export interface PaySource {
  readonly prefix: string;
  readonly asked: AskedCountries;
  readonly store: Pick<CheckoutStore, "read">;
  pay(
    params: { id: string; amount: string; currency: string; phone: string },
    options: { after: number | undefined },
  ): Promise<unknown>;
  wait(id: string, options: { waitMs: number; signal: AbortSignal }): Promise<unknown>;
  statusHandler(options: {
    order: (request: Request) => string | undefined;
  }): (request: Request) => Promise<Response>;
  readonly onError: (error: unknown) => void;
}

const MAX_FORM_BYTES = 4_096;
/** How long a page without scripts waits for news: proxies and functions end a request that takes longer. */
const WAIT_MS = 15_000;
/** A wait that ends sooner, with an order that is still pending, was none: too many others wait. */
const NO_WAIT_MS = 1_000;
const RELOAD_AFTER_S = 5;
/** Forms of one link, in this process. The order has its own limit of attempts, which is stored. */
const LINK_LIMIT = 10;
const LINK_WITHIN_MS = 600_000;
const MAX_LINKS = 10_000;

/** Counts what is done with a link. The oldest ones are forgotten first. */
function linkLimit() {
  const used = new Map<string, { readonly since: number; times: number }>();
  return (link: string): boolean => {
    const now = performance.now();
    const found = used.get(link);
    const isCurrent = found !== undefined && now - found.since < LINK_WITHIN_MS;
    const entry = isCurrent ? found : { since: now, times: 0 };
    entry.times++;
    used.delete(link);
    used.set(link, entry);
    const [oldest] = used.keys();
    if (used.size > MAX_LINKS && oldest !== undefined) used.delete(oldest);
    return entry.times <= LINK_LIMIT;
  };
}

const lastPart = ({ pathname }: URL): string => pathname.split("/").filter(Boolean).at(-1) ?? "";

/** The handler of the pay page: each request shows an order, asks its customer to pay, or waits for news. */
export function servePayPage(
  source: PaySource,
  settings: PageSettings,
  keys: readonly Uint8Array[],
): (request: Request) => Promise<Response> {
  const page = new PayRequests(source, settings);
  const idOf = (request: Request) => orderOfLink(lastPart(new URL(request.url)), keys, Date.now());
  const follow = source.statusHandler({ order: idOf });
  return async (request) => {
    try {
      const id = idOf(request);
      if (id === undefined) return page.notFound(request);
      if (request.method === "POST") return await page.pay(request, id);
      if (request.method !== "GET" && request.method !== "HEAD") {
        return new Response(undefined, { status: 405, headers: { allow: "GET, HEAD, POST" } });
      }
      if (request.headers.get("accept")?.includes("text/event-stream")) {
        return await follow(request);
      }
      return await page.show(request, id);
    } catch (error) {
      source.onError(error);
      return page.failed(request);
    }
  };
}

class PayRequests {
  readonly #source: PaySource;
  readonly #settings: PageSettings;
  readonly #frame: PayFrame;
  readonly #isWithin = linkLimit();
  #hasToldOfOtherSite = false;

  constructor(source: PaySource, settings: PageSettings) {
    this.#source = source;
    this.#settings = settings;
    this.#frame = payFrame(settings);
  }

  /** The order as it is now; of an address with `wait`, as soon as there is news. */
  async show(request: Request, id: string): Promise<Response> {
    let reloadAfterS = 0;
    if (new URL(request.url).searchParams.has("wait")) {
      const since = performance.now();
      await this.#source.wait(id, { waitMs: WAIT_MS, signal: request.signal }).catch((error) => {
        // The customer has closed the page.
        if (!request.signal.aborted) throw error;
      });
      if (performance.now() - since < NO_WAIT_MS) reloadAfterS = RELOAD_AFTER_S;
    }
    return this.#showOrder(this.#wordsOf(request), id, undefined, reloadAfterS);
  }

  /** Takes the form, and asks the customer. */
  async pay(request: Request, id: string): Promise<Response> {
    const body = await readBody(request, MAX_FORM_BYTES);
    const form = new URLSearchParams(body ?? "");
    const words = this.#wordsOf(request, form.get("lang"));
    if (isCrossSite(request, this.#settings.url)) {
      this.#tellOfOtherSite(request);
      return this.#notice(words, 403, "crossSiteTitle", "crossSite");
    }
    if (!this.#isWithin(lastPart(new URL(request.url)))) {
      return this.#notice(words, 429, "tooManyTitle", "tooMany");
    }
    const given = form.get("phone") ?? "";
    const typed = given.slice(0, 40);
    const { digits, problem } = readCustomerPhone(given, this.#settings.asked);
    if (problem !== undefined) return this.#showOrder(words, id, { phone: typed, problem });
    const phone = `+${digits}`;
    const { stored } = await this.#source.store.read(id);
    if (stored === undefined) return this.#showOrder(words, id);
    const { amount, currency } = stored.order;
    const shown = /^\d{1,6}$/.test(form.get("after") ?? "") ? Number(form.get("after")) : undefined;
    try {
      await this.#source.pay({ id, amount, currency, phone }, { after: shown });
    } catch (error) {
      // A number that only the service cannot use.
      if (isGatewayError(error) && error.code === "invalid_params") {
        return this.#showOrder(words, id, { phone: typed, problem: "invalid" });
      }
      throw error;
    }
    // After a redirect, reloading the page does not send the form again.
    const headers = { ...this.#frame.headers, location: `?lang=${words.lang}` };
    return new Response(undefined, { status: 303, headers });
  }

  /** For a link that names no order, or whose time is over. */
  notFound(request: Request): Response {
    return this.#notice(this.#wordsOf(request), 404, "unknownTitle", "unknown");
  }

  failed(request: Request): Response {
    // Only of a form is it known that nothing was sent by it. The form before a GET may have been taken.
    const text = request.method === "POST" ? "failed" : "unsure";
    return this.#notice(this.#wordsOf(request), 500, "failedTitle", text);
  }

  async #showOrder(
    words: Words,
    id: string,
    rejected?: Rejected,
    reloadAfterS?: number,
  ): Promise<Response> {
    const { stored, now } = await this.#source.store.read(id);
    if (stored === undefined) return this.#notice(words, 404, "unknownTitle", "unknown");
    const { order } = stored;
    const shown = customerView(order, now, []);
    const returnUrl = this.#returnUrlOf(order, now);
    const view = orderPage(words, order, shown, now, { rejected, returnUrl });
    return this.#respond(words, rejected === undefined ? 200 : 422, view, reloadAfterS);
  }

  #respond(words: Words, status: number, view: View, reloadAfterS = 0): Response {
    const { headers } = this.#frame;
    return new Response(payDocument(words, view, this.#frame, reloadAfterS), { status, headers });
  }

  #notice(words: Words, status: number, ...notice: NoticeNames): Response {
    return this.#respond(words, status, noticeView(words, ...notice));
  }

  #returnUrlOf(order: OrderState, now: number): string | undefined {
    try {
      return this.#settings.returnUrl(orderView(order, now));
    } catch (error) {
      // A customer who has paid sees his receipt nevertheless.
      this.#source.onError(error);
      return undefined;
    }
  }

  #wordsOf({ url, headers }: Request, chosen?: string | null): Words {
    const asked = chosen ?? new URL(url).searchParams.get("lang");
    const { texts } = this.#settings;
    const lang = languageOf(asked, headers.get("accept-language"), texts);
    return { settings: this.#settings, lang, texts: texts.get(lang) as Words["texts"] };
  }

  /** Once: a proxy that loses the host stops all forms of some browsers, an attacker may send many. */
  #tellOfOtherSite({ headers, url }: Request): void {
    if (this.#hasToldOfOtherSite) return;
    this.#hasToldOfOtherSite = true;
    const from = headers.get("origin") ?? headers.get("referer") ?? "an unknown page";
    this.#source.onError(
      new Error(
        `The pay page rejected a form for ${headers.get("host") ?? new URL(url).host} from ${JSON.stringify(from.slice(0, 200))}. If that is your own page, your proxy must pass the Host header on, or set \`url\` of checkout.page. Further ones are not reported.`,
      ),
    );
  }
}

type NoticeNames = [
  title: Parameters<typeof noticeView>[1],
  text: Parameters<typeof noticeView>[2],
];
