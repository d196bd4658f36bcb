import type { IncomingMessage } from "node:http";
import {
  type CheckedOptions,
  checkWholeNumber,
  type OptionRows,
  wrongOption,
} from "../../internal/check-options.ts";
import { isLoopback } from "../../internal/urls.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import type { ServeOptions } from "../sandbox-types.ts";

type Headers = Readonly<Record<string, string>>;

/** Who may reach a served sandbox beside this machine. */
export type Access = Pick<CheckedOptions<typeof SERVE_OPTIONS>, "host" | "cors" | "allowedHosts">;

function checkList(
  name: string,
  list: readonly string[],
  isRight: (item: unknown) => boolean,
  expected: string,
): readonly string[] {
  if (Array.isArray(list) && list.every(isRight)) return [...list];
  throw wrongOption(name, expected, list);
}

const ORIGINS = 'a list of origins, such as ["https://shop.example"], without a path';
const NAMES = 'a list of host names, such as ["gateway.shop.example"], without scheme and port';

export const SERVE_OPTIONS = {
  port: (port = ASSUMPTIONS.address.value.port) => checkWholeNumber("port", port, 0, 65_535),
  host: (host = "127.0.0.1") => {
    if (typeof host === "string" && host !== "") return host;
    throw wrongOption("host", 'an address, such as "0.0.0.0"', host);
  },
  cors: (cors = []) => checkList("cors", cors, isOrigin, ORIGINS),
  allowedHosts: (names = []) => checkList("allowedHosts", names, isHostname, NAMES),
  /** The page shows it. */
  command: (command) => command,
} satisfies OptionRows<ServeOptions>;

const isOrigin = (origin: unknown): boolean =>
  typeof origin === "string" && URL.canParse(origin) && new URL(origin).origin === origin;

const isHostname = (name: unknown): boolean =>
  typeof name === "string" && URL.canParse(`http://${name}`) && urlOf(name)?.host === name;

const urlOf = (host: string | undefined) =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;

/** An IP address, or a name without a dot: no website has one, so none can be rebound to this machine. */
const isLocalName = (name: string) => /^(?:[\d.]+|\[.*\]|[^.]+)$/.test(name);

/**
 * Why a request is rejected by its `Host`; `undefined` for one that may come. A website can make its
 * own domain resolve to an address of this machine (DNS rebinding): its name must not be accepted.
 */
export function foreignHostError(
  header: string | undefined,
  { host, allowedHosts }: Access,
): string | undefined {
  const name = urlOf(header)?.hostname ?? "";
  const isPublic = !isLoopback(host);
  if (isLoopback(name) || allowedHosts.includes(name)) return undefined;
  if (isPublic && name !== "" && isLocalName(name)) return undefined;
  return isPublic
    ? `The sandbox does not accept requests for the host ${JSON.stringify(name)}. If it is yours, start the sandbox with --allow-host and this name.`
    : "The sandbox accepts this only from its own machine. Use 127.0.0.1 or localhost as the host. To serve other machines, start it with --host 0.0.0.0.";
}

/** A link on another site may open a page. That site can neither read the page nor frame it. */
const isNavigationToPage = ({ method, headers, url }: IncomingMessage) =>
  method === "GET" &&
  /^\/(?:docs(?:\/.*)?)?(?:\?|$)/.test(url ?? "") &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document";

/**
 * Why a request to the sandbox's own pages or control API is forbidden; `undefined` for one that is
 * allowed. Browsers set these headers themselves. Reading is guarded as acting is: the page shows keys.
 */
export function forbiddenReason(request: IncomingMessage, access: Access): string | undefined {
  const { host, origin, "sec-fetch-site": site } = request.headers;
  const foreign = foreignHostError(host, access);
  if (foreign !== undefined) return foreign;
  if (origin !== undefined && origin !== urlOf(host)?.origin) {
    return "The sandbox does not accept this from a page of another site.";
  }
  // Some requests, such as those of an <img>, carry no origin, but tell whether it was another.
  const sameSite = site === undefined || site === "same-origin" || site === "none";
  if (sameSite || isNavigationToPage(request)) return undefined;
  return "A page of another site may not use the sandbox.";
}

/** The headers of a response, without those that let pages of other sites read it. */
export const withoutCors = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith("access-control-")),
  );

/** The headers of a response to a page of this origin. */
export const withoutForeignCors = (
  headers: Headers,
  origin: string | undefined,
  access: Access,
): Headers => (origin === undefined || mayRead(origin, access) ? headers : withoutCors(headers));

const mayRead = (origin: string, { cors }: Access): boolean =>
  cors.includes(origin) || (URL.canParse(origin) && isLoopback(new URL(origin).hostname));
