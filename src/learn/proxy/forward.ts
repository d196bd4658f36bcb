import * as http from "node:http";
import * as https from "node:https";
import { describeConnectionError } from "../../internal/describe-connection-error.ts";
import { failureCode } from "../../internal/failed-before-sending.ts";
import { Capture } from "./capture.ts";
import { endToEnd, type HeaderPairs, headerPairs, requestHeaders } from "./headers.ts";

/** A request and its response, after both have passed. */
export interface Passed {
  readonly request: { readonly headers: HeaderPairs; readonly body: Capture };
  readonly status: number;
  readonly headers: HeaderPairs;
  readonly body: Capture;
}

// A connection for each request: the service may close an open connection at the moment
// at which a payment is sent on it, and then it is unknown whether it was received.
const AGENTS = {
  "http:": new http.Agent({ keepAlive: false }),
  "https:": new https.Agent({ keepAlive: false }),
};

/**
 * Sends a request on, and its response back, as they come.
 *
 * @param target - The origin, path and query.
 * @returns What has passed; `undefined` if the response did not come to its end.
 */
export function forward(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  target: { readonly base: URL; readonly path: string },
): Promise<Passed | undefined> {
  const { base, path } = target;
  const headers = headerPairs(incoming.rawHeaders);
  const sent = new Capture();
  return new Promise((resolve) => {
    const { request } = base.protocol === "https:" ? https : http;
    const upstream = request(base.origin, {
      agent: AGENTS[base.protocol as keyof typeof AGENTS],
      method: incoming.method,
      path,
      headers: requestHeaders(headers, base.host),
      setHost: false,
    });
    upstream.once("response", (response) => {
      const body = new Capture();
      const received = headerPairs(response.rawHeaders);
      const status = response.statusCode ?? 502;
      if (!writeHead(outgoing, response, endToEnd(received))) {
        response.resume();
        sendError(
          outgoing,
          502,
          `The proxy of malipo cannot pass on the response of ${base.origin}: its status line or its headers are not valid HTTP. The request did reach the service.`,
        );
        return resolve(undefined);
      }
      response.on("data", (chunk) => body.add(chunk));
      response.once("end", () =>
        resolve({ request: { headers, body: sent }, status, headers: received, body }),
      );
      // The service broke off: so does the proxy, so that the shop sees it.
      response.once("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    upstream.once("error", (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else sendBadGateway(outgoing, base, error);
      resolve(undefined);
    });
    incoming.on("data", (chunk) => sent.add(chunk));
    incoming.pipe(upstream);
    outgoing.once("close", () => {
      if (outgoing.writableFinished) return;
      upstream.destroy();
      resolve(undefined);
    });
  });
}

/** `false` for a head that Node cannot write, such as the status 099. */
function writeHead(
  outgoing: http.ServerResponse,
  { statusCode = 502, statusMessage = "" }: http.IncomingMessage,
  headers: HeaderPairs,
): boolean {
  try {
    outgoing.writeHead(statusCode, statusMessage, headers.flat());
    return true;
  } catch {
    return false;
  }
}

function sendBadGateway(outgoing: http.ServerResponse, { origin }: URL, error: Error): void {
  const reason = describeConnectionError(failureCode(error) ?? "no response");
  const message = `The proxy of malipo got no response from ${origin}: ${reason}.`;
  sendError(outgoing, 502, message);
}

export function sendError(outgoing: http.ServerResponse, status: number, error: string): void {
  outgoing.writeHead(status, http.STATUS_CODES[status], { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ success: false, error }));
}
