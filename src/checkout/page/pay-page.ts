import { ConfigurationError } from "../../errors/configuration.ts";
import { checkOptions, type OptionRows } from "../../internal/check-options.ts";
import { type PayPageOptions, pageSettings } from "./page-options.ts";
import { linkKeys, linkTo } from "./pay-link.ts";
import { type PaySource, servePayPage } from "./pay-requests.ts";

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

const LINK_OPTIONS = {
  /** {@link linkTo} checks it. */
  expiresAt: (expiresAt) => expiresAt,
} satisfies OptionRows<PayLinkOptions>;

/** Most shops have no QR codes. A bundler builds a shop without the package only if its import is in a `try`. */
async function loadUqr() {
  try {
    return await import("uqr");
  } catch (cause) {
    throw new ConfigurationError("payQrCode needs the package uqr: npm install uqr", { cause });
  }
}

/** The pay page, its links and their QR codes. */
export function payPages(source: PaySource): PayPages {
  let last: { readonly url: string | undefined; readonly keys: readonly Uint8Array[] } | undefined;
  const payLink: PayPages["payLink"] = (id, options = {}) => {
    const { expiresAt } = checkOptions(options, LINK_OPTIONS, "payLink");
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
      const settings = pageSettings(options, source.asked);
      const keys = linkKeys(settings.secrets, source.prefix);
      last = { url: settings.url, keys };
      return servePayPage(source, settings, keys);
    },
    payLink,
    payQrCode: async (id, options) => {
      const link = payLink(id, options);
      const { renderSVG } = await loadUqr();
      // A quarter of it may be covered or dirty, and four modules around it are white: ISO/IEC 18004.
      return renderSVG(link, { ecc: "Q", border: 4 });
    },
  };
}
