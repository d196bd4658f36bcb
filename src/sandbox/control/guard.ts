import type { IncomingMessage } from "node:http";
import { foreignRequestError } from "../http/local-only.ts";

/** A link on another site may open the page. That site can neither read the page nor frame it. */
const isNavigationToPage = ({ method, headers, url }: IncomingMessage) =>
  method === "GET" &&
  /^\/(?:\?|$)/.test(url ?? "") &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document";

/**
 * Why a request to the page or to the control API is forbidden; `undefined` for one that is allowed.
 * Reading is guarded as acting is: the page shows keys.
 */
export function forbiddenReason(request: IncomingMessage, isPublic: boolean): string | undefined {
  const { host, origin, "sec-fetch-site": site } = request.headers;
  const foreign = foreignRequestError(host, origin, { isPublic });
  if (foreign !== undefined) return foreign;
  // Some requests, such as those of an <img>, carry no origin, but say whether it was another.
  const sameSite = site === undefined || site === "same-origin" || site === "none";
  if (sameSite || isNavigationToPage(request)) return undefined;
  return "A page of another site may not use the sandbox.";
}
