import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../errors/configuration.ts";
import { requestUrl } from "./urls.ts";

/** The largest form of any page: the ids of one list, or a phone number. */
const MAX_BODY_BYTES = 50_000;

/** The body of a request; `undefined` if it is larger than `maxBytes`, or breaks off. */
export async function readNodeBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      length += chunk.length;
      // The rest is read and thrown away: a client that is still sending does not read the response.
      if (length <= maxBytes) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return length > maxBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}

const PARSED =
  "The body was already parsed, so the form of a page cannot be read. Mount the page above every body parser: in Express above app.use(express.json()) and app.use(express.urlencoded()), in Koa above app.use(bodyParser()).";

/**
 * The form in a request: as a parser of raw bytes has stored it, else as it arrives.
 *
 * @throws {ConfigurationError} if something has read it before.
 */
async function formOf(
  request: IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown },
): Promise<string | undefined> {
  if (request.method !== "POST") return "";
  for (const stored of [request.rawBody, request.body]) {
    if (stored instanceof Uint8Array) {
      return stored.length > MAX_BODY_BYTES ? undefined : Buffer.from(stored).toString("utf8");
    }
  }
  const isRead = request.readableDidRead || request.readableEncoding !== null;
  if (request.body !== undefined || isRead) throw new ConfigurationError(PARSED);
  return readNodeBody(request, MAX_BODY_BYTES);
}

/** @throws {TypeError} for a host or a method that no `Request` may have. */
function requestOf(
  request: IncomingMessage & { readonly originalUrl?: string },
  body: string,
  signal: AbortSignal,
): Request {
  const { method = "GET", headers, originalUrl, url = "/" } = request;
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const address = requestUrl(originalUrl ?? url, headers.host);
  if (address === undefined) throw new TypeError("The request has no URL.");
  return new Request(address, {
    method,
    headers: lines,
    signal,
    ...(method === "POST" && { body }),
  });
}

/** Any client may send a malformed request: it gets a response, and never ends the process. */
async function responseTo(
  request: IncomingMessage,
  handler: (request: Request) => Promise<Response>,
  signal: AbortSignal,
): Promise<Response> {
  const body = await formOf(request);
  if (body === undefined) return new Response("The form is too large.\n", { status: 413 });
  let converted: Request;
  try {
    converted = requestOf(request, body, signal);
  } catch {
    return new Response("The request is malformed.\n", { status: 400 });
  }
  return handler(converted);
}

/** Sends a body as it comes: an event stream has no end for a long time. */
async function send({ body }: Response, response: ServerResponse): Promise<void> {
  for await (const chunk of body ?? []) {
    if (response.destroyed) return;
    response.write(chunk);
  }
  response.end();
}

/**
 * Mounts a handler of `Request` objects on everything built on `node:http`: plain servers, Express,
 * Nest. Mount it above body parsers: below one, a form is an error that says so. An error of the handler goes to `next`, as Express passes it;
 * without `next`, the response is a 500.
 */
export function onNode(
  handler: (request: Request) => Promise<Response>,
): (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error: unknown) => void,
) => Promise<void> {
  return async (request, response, next) => {
    const controller = new AbortController();
    response.once("close", () => controller.abort());
    try {
      const result = await responseTo(request, handler, controller.signal);
      if (response.destroyed || response.headersSent) return;
      const isStream = result.headers.get("content-type")?.startsWith("text/event-stream");
      response.writeHead(result.status, {
        ...Object.fromEntries(result.headers),
        // A server that closes would wait for another request on the connection. HTTP/2 knows no such header.
        ...(isStream && request.httpVersionMajor === 1 && { connection: "close" }),
      });
      await send(result, response);
    } catch (error) {
      if (next !== undefined) next(error);
      else if (response.headersSent) response.destroy();
      else response.writeHead(500).end(error instanceof ConfigurationError ? error.message : "");
    }
  };
}
