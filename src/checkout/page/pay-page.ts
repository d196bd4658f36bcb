import { isGatewayError } from "../../errors/any.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { html, inline, renderPage } from "../../html/html.ts";
import { isCrossSite, pageHeaders } from "../../html/serving.ts";
import { ownOptions } from "../../internal/check-options.ts";
import { readBody } from "../../internal/read-body.ts";
import type { CheckoutStore } from "../checkout-store.ts";
import { readCustomerPhone } from "../customer-phone.ts";
import type { Order } from "../order-types.ts";
import { orderView } from "../view.ts";
import { type PageSettings, type PayPageOptions, pageSettings } from "./page-options.ts";
import { filled, languageOf } from "./page-texts.ts";
import { linkKeys, linkTo, orderOfLink } from "./pay-link.ts";
import { noticeView, orderPage, type Rejected, type View, type Words } from "./pay-view.ts";

// The bundled stylesheet and script: see scripts/page-assets.ts.
declare const PAY_STYLE: string;
declare const PAY_SCRIPT: string;

/** What a link is made with. */
export interface PayLinkOptions {
  /**
   * Until when the link works.
   *
   * @default 30 days from now
   */
  expiresAt?: Date | undefined;
}

/** The pay page of a checkout, and the links that lead to it. */
export interface PayPages {
  /**
   * The page on which a customer pays an order: a handler of `Request` objects, for `GET` and `POST` on every path
   * below its own. Mount it above body parsers.
   *
   * @throws {ConfigurationError} for a wrong option, and without a secret.
   *
   * @example
   * ```ts
   * app.use("/pay", nodeHandler(checkout.page({ merchant: { name: "Duka" } })));
   * ```
   */
  page(options: PayPageOptions): (request: Request) => Promise<Response>;
  /**
   * The address at which a customer pays an order: send it by SMS or WhatsApp. A person who has it can see what is to be
   * paid, and can have any phone asked for it.
   *
   * @throws {ConfigurationError} if `page` was not called before, or knows no `url`, and for a wrong option.
   *
   * @example
   * ```ts
   * const link = checkout.payLink("ORDER-42"); // https://shop.example/pay/cGs4...
   * ```
   */
  payLink(id: string, options?: PayLinkOptions): string;
  /**
   * The same address as a QR code, for a counter or an invoice: a whole SVG image. Requires the package `uqr`.
   *
   * @throws {ConfigurationError} as `payLink` does, and if `uqr` is not installed.
   */
  payQrCode(id: string, options?: PayLinkOptions): Promise<string>;
}

/** What the pages use of a checkout. */
export interface PaySource {
  readonly prefix: string;
  /** The calling code of the checkout. */
  readonly country: string | undefined;
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

/** Black or white, whichever has the higher contrast on a colour (WCAG 2.2, relative luminance). */
function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = (color.match(/[0-9a-f]{2}/gi) ?? []).map((hex) => {
    const share = Number.parseInt(hex, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/** What is equal on every page: it is signed into the policy once. */
function frameOf({ color, frameAncestors }: PageSettings) {
  const brand =
    color === undefined ? "" : `:root{--brand:${color};--on-brand:${readableOn(color)}}`;
  const style = inline("style", PAY_STYLE + brand);
  const script = inline("script", PAY_SCRIPT);
  const policy = `style-src ${style.source}; script-src ${script.source}; connect-src 'self'; img-src 'self' data:; form-action 'self'`;
  const headers = {
    ...pageHeaders(policy, frameAncestors),
    "content-type": "text/html; charset=utf-8",
    "x-robots-tag": "noindex, nofollow",
  };
  return { style: style.element, script: script.element, headers };
}

/** Writes a whole page. */
function documentOf(
  { settings, lang, texts }: Words,
  { title, main, isPending }: View,
  { style, script }: ReturnType<typeof frameOf>,
  reloadAfterS: number,
): string {
  const { name, contact, logo } = settings.merchant;
  const switches = [...settings.texts].map(([code, { language }]) =>
    code === lang
      ? html`<li><a aria-current="true" href="?lang=${code}" lang="${code}">${language}</a></li>`
      : html`<li><a href="?lang=${code}" lang="${code}" hreflang="${code}">${language}</a></li>`,
  );
  // A phone number stays on one line.
  const values = {
    merchant: name,
    contact: contact?.replaceAll(/(?<=\d) (?=\d)/g, "\u00a0") ?? "",
  };
  const help = contact !== undefined && html`<p class="hint">${filled(texts.contact, values)}</p>`;
  // Without scripts, the browser asks at once for the next state, and the server answers when there is one.
  const next =
    isPending &&
    html`<noscript><meta http-equiv="refresh" content="${String(reloadAfterS)};url=?wait=1&amp;lang=${lang}"></noscript>`;
  return renderPage({
    lang,
    title,
    style,
    head: html`<link rel="icon" href="data:,">${next}`,
    body: html`<header>${logo === undefined ? name : html`<img src="${logo}" alt="${name}">`}</header>
${main}
<footer>${help}<nav aria-label="${texts.languages}"><ul>${switches}</ul></nav></footer>
${script}`,
  });
}

/** The pay page, its links and their QR codes. */
export function payPages(source: PaySource): PayPages {
  let last: { readonly url: string | undefined; readonly keys: readonly Uint8Array[] } | undefined;
  const payLink: PayPages["payLink"] = (id, options = {}) => {
    const { expiresAt } = ownOptions(options, ["expiresAt"], "payLink");
    if (last?.url === undefined) {
      throw new ConfigurationError(
        last === undefined
          ? "Call checkout.page({ merchant, secret, url }) before payLink: it says how links are made."
          : "The pay page does not know its address. Pass `url` to checkout.page, or set MALIPO_PAGE_URL.",
      );
    }
    return linkTo(id, { url: last.url, keys: last.keys }, expiresAt);
  };
  return {
    page: (options) => {
      const settings = pageSettings(options, source.country);
      const keys = linkKeys(settings.secrets, source.prefix);
      last = { url: settings.url, keys };
      return pageHandler(source, settings, keys);
    },
    payLink,
    payQrCode: async (id, options) => {
      const link = payLink(id, options);
      const { renderSVG } = await import("uqr").catch((cause: unknown) => {
        throw new ConfigurationError("payQrCode needs the package uqr: npm install uqr", { cause });
      });
      // A quarter of it may be covered or dirty, and four modules around it are white: ISO/IEC 18004.
      return renderSVG(link, { ecc: "Q", border: 4 });
    },
  };
}

function pageHandler(source: PaySource, settings: PageSettings, keys: readonly Uint8Array[]) {
  const frame = frameOf(settings);
  const isWithin = linkLimit();
  const idOf = (request: Request) => orderOfLink(lastPart(new URL(request.url)), keys, Date.now());
  const follow = source.statusHandler({ order: idOf });
  let hasTold = false;
  /** Once: a proxy that loses the host stops all forms of some browsers, an attacker may send many. */
  const tellOfOtherSite = ({ headers, url }: Request): void => {
    if (hasTold) return;
    hasTold = true;
    const from = headers.get("origin") ?? headers.get("referer") ?? "an unknown page";
    source.onError(
      new Error(
        `The pay page rejected a form for ${headers.get("host") ?? new URL(url).host} from ${JSON.stringify(from.slice(0, 200))}. If that is your own page, your proxy must pass the Host header on, or set \`url\` of checkout.page. Further ones are not reported.`,
      ),
    );
  };

  const respond = (words: Words, status: number, view: View, reloadAfterS = 0): Response =>
    new Response(documentOf(words, view, frame, reloadAfterS), { status, headers: frame.headers });

  const returnUrlOf = (order: Order): string | undefined => {
    try {
      return settings.returnUrl(order);
    } catch (error) {
      // A customer who has paid sees his receipt nevertheless.
      source.onError(error);
      return undefined;
    }
  };

  const show = async (
    words: Words,
    id: string,
    rejected?: Rejected,
    reloadAfterS?: number,
  ): Promise<Response> => {
    const { stored, now } = await source.store.read(id);
    if (stored === undefined)
      return respond(words, 404, noticeView(words, "unknownTitle", "unknown"));
    const { order } = stored;
    const shown = orderView(order, now);
    const view = orderPage(words, order, shown, now, { rejected, returnUrl: returnUrlOf(shown) });
    return respond(words, rejected === undefined ? 200 : 422, view, reloadAfterS);
  };

  const pay = async (request: Request, id: string, link: string): Promise<Response> => {
    const body = await readBody(request, MAX_FORM_BYTES);
    const form = new URLSearchParams(body ?? "");
    const words = wordsOf(request, form.get("lang"));
    if (isCrossSite(request, settings.url)) {
      tellOfOtherSite(request);
      return respond(words, 403, noticeView(words, "crossSiteTitle", "crossSite"));
    }
    if (!isWithin(link)) return respond(words, 429, noticeView(words, "tooManyTitle", "tooMany"));
    const given = form.get("phone") ?? "";
    const typed = given.slice(0, 40);
    const { digits, problem } = readCustomerPhone(given, settings.country);
    if (problem !== undefined) return show(words, id, { phone: typed, problem });
    const phone = `+${digits}`;
    const { stored } = await source.store.read(id);
    if (stored === undefined) return show(words, id);
    const { amount, currency } = stored.order;
    const shown = /^\d{1,6}$/.test(form.get("after") ?? "") ? Number(form.get("after")) : undefined;
    try {
      await source.pay({ id, amount, currency, phone }, { after: shown });
    } catch (error) {
      // A number that only the service cannot use.
      if (isGatewayError(error) && error.code === "invalid_params") {
        return show(words, id, { phone: typed, problem: "invalid" });
      }
      throw error;
    }
    // After a redirect, reloading the page does not send the form again.
    const location = `?lang=${words.lang}`;
    return new Response(undefined, { status: 303, headers: { ...frame.headers, location } });
  };

  const wordsOf = ({ url, headers }: Request, chosen?: string | null): Words => {
    const asked = chosen ?? new URL(url).searchParams.get("lang");
    const lang = languageOf(asked, headers.get("accept-language"), settings.texts);
    return { settings, lang, texts: settings.texts.get(lang) as Words["texts"] };
  };

  return async (request: Request): Promise<Response> => {
    const words = wordsOf(request);
    try {
      const url = new URL(request.url);
      const id = idOf(request);
      if (id === undefined)
        return respond(words, 404, noticeView(words, "unknownTitle", "unknown"));
      if (request.method === "POST") return await pay(request, id, lastPart(url));
      if (request.method !== "GET" && request.method !== "HEAD") {
        return new Response(undefined, { status: 405, headers: { allow: "GET, HEAD, POST" } });
      }
      if (request.headers.get("accept")?.includes("text/event-stream"))
        return await follow(request);
      let reloadAfterS = 0;
      if (url.searchParams.has("wait")) {
        const since = performance.now();
        await source.wait(id, { waitMs: WAIT_MS, signal: request.signal }).catch((error) => {
          // The customer has closed the page.
          if (!request.signal.aborted) throw error;
        });
        if (performance.now() - since < NO_WAIT_MS) reloadAfterS = RELOAD_AFTER_S;
      }
      return await show(words, id, undefined, reloadAfterS);
    } catch (error) {
      source.onError(error);
      // Only of a form is it known that nothing was sent by it. The form before a GET may have been taken.
      const text = request.method === "POST" ? "failed" : "unsure";
      return respond(words, 500, noticeView(words, "failedTitle", text));
    }
  };
}
