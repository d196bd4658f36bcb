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
  // Behind a proxy, the URL may have the address of the server behind it.
  return new URL(origin).host !== (headers.get("host") ?? new URL(url).host);
}
