import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../sandbox/http/respond.ts";
import { MAX_FORM_BYTES } from "./handler.ts";

/** @throws {TypeError} for a host or a method that no `Request` may have. */
function requestOf(
  request: IncomingMessage & { readonly originalUrl?: string },
  body: string,
): Request {
  const { method = "GET", headers, originalUrl, url = "/" } = request;
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  return new Request(new URL(originalUrl ?? url, `http://${headers.host ?? "localhost"}`), {
    method,
    headers: lines,
    ...(method === "POST" && { body }),
  });
}

/** Any client may send a malformed request: it gets a response, and never ends the process. */
async function responseTo(
  request: IncomingMessage,
  handler: (request: Request) => Promise<Response>,
): Promise<Response> {
  const body = await readBody(request, MAX_FORM_BYTES);
  if (body === undefined) return new Response("The form is too large.\n", { status: 413 });
  let converted: Request;
  try {
    converted = requestOf(request, body);
  } catch {
    return new Response("The request is malformed.\n", { status: 400 });
  }
  return handler(converted);
}

/**
 * Mounts a handler of `Request` objects on everything built on `node:http`: plain servers, Express,
 * Nest. Mount it above body parsers. An error of the handler goes to `next`, as Express passes it;
 * without `next`, the response is a 500.
 *
 * @example
 * ```ts
 * app.use("/operator", onNode(operatorHandler({ receiver, gateway, authorize })));
 * ```
 */
export function onNode(
  handler: (request: Request) => Promise<Response>,
): (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error: unknown) => void,
) => Promise<void> {
  return async (request, response, next) => {
    try {
      const result = await responseTo(request, handler);
      response.writeHead(result.status, Object.fromEntries(result.headers));
      response.end(await result.text());
    } catch (error) {
      if (next !== undefined) next(error);
      else if (!response.headersSent) response.writeHead(500).end();
    }
  };
}
