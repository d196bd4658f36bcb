import { ConfigurationError } from "../../errors/configuration.ts";
import {
  checkOptions,
  checkText,
  type OptionRows,
  optional,
  wrongOption,
} from "../../internal/check-options.ts";
import { allowedEnvironmentVariable } from "../../internal/environment.ts";
import { isObject } from "../../internal/is-object.ts";
import { isLoopback, linkAddress, ownPath, withoutTrailingSlashes } from "../../internal/urls.ts";
import type { AskedCountries } from "../orders/customer-phone.ts";
import type { Order } from "../rules/order-types.ts";
import type { PayPageMessages } from "./languages/texts.ts";
import { textsOf } from "./page-texts.ts";
import { linkSecrets } from "./pay-link.ts";

/** Who is paid, as the customer sees it. */
export interface PayPageMerchant {
  /** The name that customers know. */
  name: string;
  /**
   * The name that the request on a phone shows: that of your paybill or till at the network. The page tells the customer
   * to reject requests with another one.
   *
   * @default `name`
   */
  promptName?: string | undefined;
  /** How to reach you: a phone number or an address. Set it, so that a customer with a question does not pay twice. */
  contact?: string | undefined;
  /** A logo: a path on your server, or a `data:` URL. Each costs the customer a request or bytes. */
  logo?: string | undefined;
}

/** How the pay page looks, and which links it takes. */
export interface PayPageOptions {
  merchant: PayPageMerchant;
  /**
   * Encrypts the links. At least 16 characters; of a list, the first one makes links, and those of each are
   * accepted: so it can be changed without breaking links that were sent.
   *
   * @default the environment variable `MALIPO_PAGE_SECRET`
   */
  secret?: string | readonly string[] | undefined;
  /**
   * The public address at which the page is mounted: `https://shop.example/pay`. Only `payLink` and `payQrCode` use it.
   *
   * @default the environment variable `MALIPO_PAGE_URL`
   */
  url?: string | undefined;
  /** What customers call the mobile-money service. @default "M-Pesa" */
  wallet?: string | undefined;
  /** The time zone of the times on the page. @default "Africa/Nairobi" */
  timeZone?: string | undefined;
  /** The colour of the button, such as `"#0a6279"`. Its text is black or white, whichever can be read. */
  color?: string | undefined;
  /**
   * Other words, and other languages, by their code. The page has `en`, `sw` and `fr`. What a language lacks is English;
   * one that is written `satisfies PayPageTexts` lacks nothing, or does not compile. `reasons` have the codes of
   * `order.messageCode`.
   *
   * @example
   * ```ts
   * { sw: { pay: "Lipa sasa" }, pt: { language: "Português", pay: "Pagar {amount}" } }
   * ```
   */
  messages?: PayPageMessages | undefined;
  /**
   * Where the customer goes on, as a link on the receipt and on an order that is over: the page of his ticket
   * in your shop. An address, or a function that gets the order and returns one, or `undefined` for no link.
   *
   * @default none
   *
   * @example
   * ```ts
   * { returnUrl: ({ id }) => `https://shop.example/orders/${id}` }
   * ```
   */
  returnUrl?: string | ((order: Order) => string | undefined) | undefined;
  /** The origins of pages that may show this one in a frame: `["https://shop.example"]`. @default none */
  frameAncestors?: readonly string[] | undefined;
}

const MERCHANT = {
  name: (name) => checkText("merchant.name", name, /\S/, "the name that customers know"),
  promptName: (name) =>
    optional(name, (given) => checkText("merchant.promptName", given, /\S/, "a name")),
  contact: (contact) => contact,
  logo: (logo) => optional(logo, logoOf),
} satisfies OptionRows<PayPageMerchant>;

function checkMerchant(merchant: PayPageMerchant) {
  if (!isObject(merchant)) throw wrongOption("merchant", "an object with a `name`", merchant);
  return checkOptions<PayPageMerchant, typeof MERCHANT>(merchant, MERCHANT, "merchant");
}

function checkColor(color: string): string {
  return checkText("color", color, /^#[0-9a-f]{6}$/i, "a colour such as #0a6279");
}

function checkOrigin(origin: string): string {
  return checkText("frameAncestors", origin, /^https?:\/\/[\w.:[\]-]+$/, "a list of origins");
}

const OPTIONS = {
  merchant: checkMerchant,
  secret: (secret) => linkSecrets(secret ?? allowedEnvironmentVariable("MALIPO_PAGE_SECRET")),
  url: (url) => checkUrl(url ?? allowedEnvironmentVariable("MALIPO_PAGE_URL")),
  // A hyphen at which no line breaks.
  wallet: (wallet = "M-Pesa") =>
    checkText("wallet", wallet, /\S/, "a name").replaceAll("-", "\u2011"),
  timeZone: (timeZone = "Africa/Nairobi") => checkTimeZone(timeZone),
  color: (color) => optional(color, checkColor),
  messages: textsOf,
  returnUrl: returnTo,
  frameAncestors: (origins = []) => [...origins].map(checkOrigin),
} satisfies OptionRows<PayPageOptions>;

/** The options of a page, checked and with their defaults. */
export type PageSettings = Readonly<ReturnType<typeof pageSettings>>;

/** @throws {ConfigurationError} */
export function pageSettings(options: PayPageOptions, asked: AskedCountries) {
  const checked = checkOptions(options, OPTIONS, "checkout.page");
  const { secret: secrets, messages: texts, ...settings } = checked;
  return { ...settings, secrets, texts, asked };
}

/** @throws {ConfigurationError} */
function logoOf(given: string): string {
  const address = (text: string) => (/^data:image\//.test(text) ? text : ownPath(text));
  const isRight = { test: (text: string) => address(text) !== undefined };
  checkText("merchant.logo", given, isRight, "a path on your server or a data: URL");
  return address(given) as string;
}

/** An address that may be a link; a path on the same server may be one, too. @throws {ConfigurationError} */
function checkReturn(given: unknown): string {
  const isRight = { test: (text: string) => linkAddress(text) !== undefined };
  checkText("returnUrl", given, isRight, "an https: address or a path on your server");
  return linkAddress(given) as string;
}

function returnTo(given: PayPageOptions["returnUrl"]): (order: Order) => string | undefined {
  if (typeof given === "function") {
    return (order) => {
      const url = given(order);
      return url === undefined ? undefined : checkReturn(url);
    };
  }
  const url = given === undefined ? undefined : checkReturn(given);
  return () => url;
}

function checkTimeZone(timeZone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return timeZone;
  } catch {
    throw wrongOption("timeZone", "a time zone such as Africa/Nairobi", timeZone);
  }
}

/** @throws {ConfigurationError} */
export function checkUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const { href, protocol, hostname, search, hash } = new URL(URL.canParse(url) ? url : "none:");
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  if (isSafe && search === "" && hash === "") return withoutTrailingSlashes(href);
  throw new ConfigurationError(
    "`url` of the pay page must be the https: address at which it is mounted, such as https://shop.example/pay.",
  );
}
