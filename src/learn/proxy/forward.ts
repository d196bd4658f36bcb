import * as http from "node:http";
import * as https from "node:https";
import { describeConnectionError } from "../../internal/describe-error.ts";
import { failureCode } from "../../internal/failed-before-sending.ts";
import { headerValue } from "../exchange.ts";
import { Capture } from "./capture.ts";

/** Headers of one connection: each side of the proxy has its own. */
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/;

export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** Node's raw headers alternate names and values in one list. */
const headerPairs = (rawHeaders: readonly string[]): HeaderPairs =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );

/** The headers that go on to the other side, with their names and their order as they are. */
function endToEnd(headers: HeaderPairs): HeaderPairs {
  const named = (headerValue(headers, "connection") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  return headers.filter(([given]) => {
    const name = given.toLowerCase();
    // The body goes on, so its length does, too: without it, the body would be a second request.
    return !HOP_BY_HOP.test(name) && (name === "content-length" || !named.includes(name));
  });
}

/** The headers of a request to another host. */
function requestHeaders(headers: HeaderPairs, host: string): string[] {
  const isChunked = headerValue(headers, "transfer-encoding") !== undefined;
  // The proxy has taken the body: the client waits for no second permission.
  const rest = endToEnd(headers).filter(([name]) => !/^(?:host|expect)$/i.test(name));
  return ["Host", host, ...(isChunked ? ["Transfer-Encoding", "chunked"] : []), ...rest.flat()];
}

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
