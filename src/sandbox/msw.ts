/**
 * The sandbox behind msw.
 *
 * @module malipo/msw
 */

import { HttpResponse, http, type RequestHandler } from "msw";
import { ConfigurationError } from "../errors/configuration.ts";
import { checkOptions, type OptionRows } from "../internal/check-options.ts";
import { withoutTrailingSlashes } from "../internal/urls.ts";
import { DELIVERY_HEADER } from "./deliveries/deliveries.ts";
import type { Sandbox } from "./sandbox-types.ts";

const OPTIONS = {
  baseUrl: (url) => url,
} satisfies OptionRows<{ baseUrl?: string | undefined }>;

/**
 * Request handlers that serve a sandbox: `setupServer(...gatewayHandlers(sandbox))`, with msw 2 and 3.
 * An unknown path below the base URL gets a 404 and never passes through. Your own strategy decides
 * about all other requests.
 *
 * The sandbox's deliveries pass through the mock, even if it forbids unhandled requests. A handler of
 * yours for the receiver's address may respond to them instead.
 *
 * @param options - `baseUrl`: the address to serve. Set it when your code calls another one.
 *   Default: `sandbox.baseUrl`.
 * @throws {ConfigurationError} for an unknown option, or a `baseUrl` that is not an absolute URL.
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
  const { baseUrl: given = sandbox.baseUrl } = checkOptions(options, OPTIONS, "gatewayHandlers()");
  if (!URL.canParse(given)) {
    throw new ConfigurationError(
      `\`baseUrl\` must be an absolute URL, such as ${sandbox.baseUrl}; got ${JSON.stringify(given)}.`,
    );
  }
  const baseUrl = withoutTrailingSlashes(new URL(given).href);
  return [
    http.all(isBelow(baseUrl), ({ request }) => forward(request, baseUrl, sandbox)),
    // This matches and does not respond. Later handlers may still respond; if none does, the request
    // is sent, and msw does not report it as unhandled.
    http.all(isDelivery, () => undefined),
  ];
}

const isDelivery = ({ request }: { request: Request }) => request.headers.has(DELIVERY_HEADER);

// A predicate, not a path pattern: msw 2 fails on a path that is not valid percent-encoding before it
// asks a handler.
const isBelow =
  (baseUrl: string) =>
  ({ request: { url } }: { request: Request }) =>
    url.startsWith(baseUrl) && /^(?:[/?#]|$)/.test(url.slice(baseUrl.length));

async function forward(request: Request, baseUrl: string, sandbox: Sandbox): Promise<Response> {
  const { method, signal } = request;
  const address = sandbox.baseUrl + request.url.slice(baseUrl.length);
  // As a list: with msw 2, `new Headers(request.headers)` loses some headers.
  const headers = [...request.headers];
  const body = method === "GET" || method === "HEAD" ? null : await request.text();
  try {
    return await sandbox.fetch(address, { method, headers, body, signal });
  } catch {
    // msw's way to show a connection that was reset. After an abort, the caller no longer waits for a response.
    return HttpResponse.error();
  }
}
