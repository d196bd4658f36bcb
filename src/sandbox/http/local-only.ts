import { isLoopback } from "../../internal/loopback.ts";

/**
 * Why a request to the sandbox's own page and actions is rejected; `undefined` for a local one.
 *
 * A website can send requests to loopback, and its domain can be made to resolve to loopback (DNS
 * rebinding). Browsers set `Host` and `Origin` themselves, so `Host` must be a loopback name, and
 * `Origin`, if there is one, must be the same address.
 *
 * @param options - `isPublic`: the sandbox listens for other machines, as in a container. Then it has
 * other names, too. `server`: what the message calls the server.
 */
export function foreignRequestError(
  host: string | undefined,
  origin: string | undefined,
  {
    isPublic = false,
    server = "The sandbox",
  }: { readonly isPublic?: boolean; readonly server?: string } = {},
): string | undefined {
  const own = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (host === undefined || own === undefined || !(isPublic || isLoopback(own.hostname))) {
    return `${server} accepts this only from its own machine. Use 127.0.0.1 or localhost as the host.`;
  }
  if (origin !== undefined && origin !== own.origin) {
    return `${server} does not accept this from a page of another site.`;
  }
  return undefined;
}
