/** The headers of every page of a served sandbox: no other site may frame it, load it or read it. */
export const pageHeaders = (contentSecurityPolicy: string): Readonly<Record<string, string>> => ({
  "content-security-policy": `default-src 'none'; ${contentSecurityPolicy}; base-uri 'none'; frame-ancestors 'none'`,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // Not `no-referrer`: a browser would then send the page's own forms with the origin `null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
});
