/**
 * The headers of a page and of all it loads: no other site may frame it, load it or read it.
 *
 * @param policy - What a page may load, as directives of a content security policy.
 * @param frameAncestors - The origins that may frame it.
 */
export const pageHeaders = (
  policy: string,
  frameAncestors: readonly string[] = [],
): Readonly<Record<string, string>> => ({
  "content-security-policy": `default-src 'none'; ${policy}; base-uri 'none'; frame-ancestors ${frameAncestors.join(" ") || "'none'"}`,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // Not `no-referrer`: a browser would then send the page's own forms with the origin `null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  // It knows no list of origins.
  ...(frameAncestors.length === 0 && { "x-frame-options": "DENY" }),
  "cache-control": "no-store",
});

/**
 * Whether a request that changes something comes from another site. Browsers say it in
 * `Sec-Fetch-Site`; older ones send only `Origin`
 * (https://developer.mozilla.org/en-US/docs/Web/Security/Attacks/CSRF#fetch_metadata). A request with
 * neither of them is rejected, too: no browser that is in use sends a form without both.
 */
export function isCrossSite({ headers, url }: Pick<Request, "headers" | "url">): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return true;
  const { host, protocol } = new URL(origin);
  // Behind a proxy, the URL may have the address of the server behind it. No form sets either header.
  if (host !== (headers.get("host") ?? new URL(url).host)) return true;
  const [scheme = ""] = (headers.get("x-forwarded-proto") ?? new URL(url).protocol).split(/[:,]/);
  // A page without TLS may come from anyone between. With it, the proxy may end TLS and not say so.
  return protocol !== "https:" && scheme.trim() !== "http";
}
