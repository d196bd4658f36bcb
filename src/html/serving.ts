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
 * `Sec-Fetch-Site`; older ones send only `Origin`, and those of feature phones only `Referer`
 * (https://developer.mozilla.org/en-US/docs/Web/Security/Attacks/CSRF#fetch_metadata). A page can leave the
 * last one out, but cannot make one up. A request with none of them is rejected, too.
 *
 * @param publicUrl - Where browsers reach the page, if that is known: a proxy may have lost the host.
 */
export function isCrossSite(
  { headers, url }: Pick<Request, "headers" | "url">,
  publicUrl?: string,
): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin";
  const origin = headers.get("origin") ?? headers.get("referer");
  if (origin === null || !URL.canParse(origin)) return true;
  const { host, protocol } = new URL(origin);
  // Behind a proxy, the URL may have the address of the server behind it. No form sets either header.
  const hosts = [headers.get("host") ?? new URL(url).host];
  if (publicUrl !== undefined) hosts.push(new URL(publicUrl).host);
  if (!hosts.includes(host)) return true;
  const [scheme = ""] = (headers.get("x-forwarded-proto") ?? new URL(url).protocol).split(/[:,]/);
  // A page without TLS may come from anyone between. With it, the proxy may end TLS and not say so.
  return protocol !== "https:" && scheme.trim() !== "http";
}
