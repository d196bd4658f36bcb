import * as http from "node:http";
import * as https from "node:https";
import { describeConnectionError } from "../../internal/describe-error.ts";
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
const CLIENTS = {
  "http:": { request: http.request, agent: new http.Agent({ keepAlive: false }) },
  "https:": { request: https.request, agent: new https.Agent({ keepAlive: false }) },
};

/**
 * Sends a request on, and its response back, as they come.
 *
 * @param path - With the query, at the origin of `base`.
 * @returns What has passed; `undefined` if the response did not come to its end.
 */
export function forward(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  base: URL,
  path: string,
): Promise<Passed | undefined> {
  const { origin, host, protocol } = base;
  const headers = headerPairs(incoming.rawHeaders);
  const { method } = incoming;
  const sent = new Capture();
  return new Promise((resolve) => {
    const { request, agent } = CLIENTS[protocol as keyof typeof CLIENTS];
    const options = { agent, method, path, headers: requestHeaders(headers, host), setHost: false };
    const upstream = request(origin, options);
    const fail = (message: string) => {
      if (outgoing.headersSent) outgoing.destroy();
      else sendError(outgoing, 502, `The proxy of malipo ${message}.`);
      resolve(undefined);
    };
    upstream.once("response", (response) => {
      const { statusCode: status = 502, statusMessage, rawHeaders } = response;
      const received = headerPairs(rawHeaders);
      try {
        outgoing.writeHead(status, statusMessage, endToEnd(received).flat());
      } catch {
        // A head that Node cannot write, such as the status 099.
        response.resume();
        fail(
          `cannot pass on the response of ${origin}: its status line or its headers are not valid HTTP. The request did reach the service`,
        );
        return;
      }
      const body = new Capture();
      response.on("data", body.add);
      response.once("end", () =>
        resolve({ request: { headers, body: sent }, status, headers: received, body }),
      );
      // The service broke off: so does the proxy, so that the shop sees it.
      response.once("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    upstream.once("error", (error) => {
      const reason = describeConnectionError(failureCode(error) ?? "no response");
      fail(`got no response from ${origin}: ${reason}`);
    });
    incoming.on("data", sent.add);
    incoming.pipe(upstream);
    outgoing.once("close", () => {
      if (outgoing.writableFinished) return;
      upstream.destroy();
      resolve(undefined);
    });
  });
}

export function sendError(outgoing: http.ServerResponse, status: number, error: string): void {
  outgoing.writeHead(status, http.STATUS_CODES[status], { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ success: false, error }));
}
