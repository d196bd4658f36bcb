/**
 * The sandbox behind msw.
 *
 * @module malipo/msw
 */

import { HttpResponse, http, type RequestHandler } from "msw";
import { ConfigurationError } from "../errors/configuration.ts";
import { DELIVERY_HEADER } from "./deliveries/deliveries.ts";
import type { Sandbox } from "./types.ts";

/**
 * Request handlers that answer for a sandbox: `setupServer(...gatewayHandlers(sandbox))`, with msw
 * 2 and 3. Unknown paths below the base URL answer 404 and never pass through; all other requests
 * are left to your own strategy.
 *
 * The sandbox's own deliveries get out past the mock, even where it forbids unhandled requests; a
 * handler of yours for the receiver's address may answer them instead.
 *
 * @param options - `baseUrl`: the address to answer for. Default: `sandbox.baseUrl`.
 *
 * @example
 * ```ts
 * const sandbox = createSandbox();
 * const server = setupServer(...gatewayHandlers(sandbox));
 * beforeAll(() => server.listen({ onUnhandledFrame: "error" })); // msw 2: onUnhandledRequest
 * ```
 */
export function gatewayHandlers(
  sandbox: Sandbox,
  options: { baseUrl?: string | undefined } = {},
): RequestHandler[] {
  const { baseUrl: given = sandbox.baseUrl, ...unknown } = options;
  for (const name in unknown) {
    throw new ConfigurationError(`gatewayHandlers() has no option "${name}". It has baseUrl.`);
  }
  if (!URL.canParse(given)) {
    throw new ConfigurationError(`\`baseUrl\` is ${JSON.stringify(given)}, no absolute address.`);
  }
  const baseUrl = new URL(given).href.replace(/\/+$/, "");
  const answer = async ({ request }: { request: Request }): Promise<Response> => {
    const address = sandbox.baseUrl + request.url.slice(baseUrl.length);
    const { method, signal } = request;
    // As a list: msw 2 makes `new Headers(request.headers)` forget some.
    const headers = [...request.headers];
    const body = method === "GET" || method === "HEAD" ? null : await request.text();
    try {
      return await sandbox.fetch(address, { method, headers, body, signal });
    } catch {
      // A reset, as msw shows one. What the caller aborted has nobody left to tell.
      return HttpResponse.error();
    }
  };
  // Not by a pattern: msw 2 fails on paths that are not properly encoded before it asks a handler.
  const isOurs = ({ request: { url } }: { request: Request }) =>
    url.startsWith(baseUrl) && /^(?:[/?#]|$)/.test(url.slice(baseUrl.length));
  const isDelivery = ({ request }: { request: Request }) => request.headers.has(DELIVERY_HEADER);
  return [
    http.all(isOurs, answer),
    // Matching without answering: later handlers may still answer, and where none does, the request
    // goes out as it is, without being taken for an unhandled one.
    http.all(isDelivery, () => undefined),
  ];
}
