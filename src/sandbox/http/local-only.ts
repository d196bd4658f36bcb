import { isLoopback } from "../../internal/loopback.ts";

/**
 * Why a request to the sandbox's own pages and actions is not let in; `undefined` where it is.
 *
 * A page on the internet can send requests to loopback, and a name of its own can be made to lead
 * there (DNS rebinding). Browsers set `Host` and `Origin` themselves: the first must be a loopback
 * name, the second, where there is one, this very address.
 */
export function foreignRequestError(
  host: string | undefined,
  origin: string | undefined,
): string | undefined {
  const own = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (host === undefined || own === undefined || !isLoopback(own.hostname)) {
    return "This is for the machine that the sandbox runs on: call it by 127.0.0.1 or localhost.";
  }
  if (origin !== undefined && origin !== own.origin) {
    return "Another site's page may not act here.";
  }
  return undefined;
}
