import type { IncomingMessage } from "node:http";
import { foreignRequestError } from "../http/local-only.ts";

/** A link from elsewhere may open the page; whoever set it can neither read nor frame it. */
const isVisit = ({ method, headers, url }: IncomingMessage) =>
  method === "GET" &&
  /^\/(?:\?|$)/.test(url ?? "") &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document";

/**
 * Why a request to the page is turned away; `undefined` where it is let in. The page shows keys and
 * moves money, if only pretended money: reading it is guarded as acting on it is.
 */
export function refusalOf(request: IncomingMessage): string | undefined {
  const { host, origin, "sec-fetch-site": site } = request.headers;
  const foreign = foreignRequestError(host, origin);
  if (foreign !== undefined) return foreign;
  // Some requests, such as those of an <img>, carry no origin, but say whether it was another.
  const own = site === undefined || site === "same-origin" || site === "none";
  return own || isVisit(request) ? undefined : "Another site's page may not act here.";
}
