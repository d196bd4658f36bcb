import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../random.ts";

/** What the proxy does with the response to a prompt. The charge has happened by then. */
const PROXY_FAULTS = [
  { name: "none", weight: 84 },
  { name: "500", weight: 3 },
  { name: "504", weight: 3 },
  { name: "hang", weight: 3 },
  { name: "slow", weight: 7 },
] as const;

type ProxyFault = Exclude<(typeof PROXY_FAULTS)[number]["name"], "none">;

/** Stands in front of the service, as a load balancer does. */
export interface FaultProxy {
  readonly port: number;
  /** How often each fault was injected after the charge. */
  readonly counts: Readonly<Record<ProxyFault, number>>;
  /** How many prompts were held until their client had stopped waiting. */
  readonly late: () => number;
  /** Rejects the next prompt for an order with a 429. */
  reject(order: string): void;
  /** Holds the next prompt for an order until its client has stopped waiting. */
  hold(order: string): void;
  /** Cuts every open connection, and is down for a moment. */
  restart(): Promise<void>;
  /** From now on, injects no fault. */
  stopFaults(): void;
  close(): Promise<void>;
}

const DOWN_MS = 150;
const KEEP_ALIVE_MS = 60_000;
const SLOW_MS = 500;
const PROMPT = /\/mobile-money\/payment\/initiate$/;

/** How many prompts are held, and for how long at least: the client does not wait any more by then. */
const LATE_SHARE = 0.04;
const MIN_ON_ITS_WAY_MS = 1_500;
const MAX_ON_ITS_WAY_MS = 7_000;

/**
 * Forwards every request, and injects the faults that the service itself cannot: a prompt that was
 * made gets a 500 or 504, a late response, or none; a prompt arrives when its client is gone.
 */
export async function startFaultProxy(seed: string, servicePort: number): Promise<FaultProxy> {
  const random = createRandom(`${seed} fault proxy`);
  const counts = { 500: 0, 504: 0, hang: 0, slow: 0 };
  const agent = new Agent({ keepAlive: true });
  const rejected = new Set<string>();
  const held = new Set<string>();
  let late = 0;
  let stopped = false;

  async function respond(received: IncomingMessage, response: ServerResponse, isPrompt: boolean) {
    const { statusCode = 502, headers } = received;
    // One fault per request: this response has none from the service.
    const isIntact = statusCode < 300 && headers["x-sandbox-fault"] === undefined;
    const { name } =
      isPrompt && isIntact && !stopped ? random.weighted(PROXY_FAULTS) : PROXY_FAULTS[0];
    if (name !== "none") counts[name]++;
    if (name === "hang") return;
    if (name === "500" || name === "504") {
      received.resume();
      response.writeHead(Number(name), { "content-type": "text/html" });
      response.end("<html><body>The service did not respond in time.</body></html>");
      return;
    }
    if (name === "slow") await sleep(SLOW_MS);
    response.writeHead(statusCode, headers);
    // The service cut the connection, so the proxy does the same.
    received.on("error", () => response.destroy());
    received.pipe(response);
  }

  function forward(
    { url: path = "/", method, headers }: IncomingMessage,
    response: ServerResponse,
  ) {
    const forwarded = send({ host: "127.0.0.1", port: servicePort, path, method, headers, agent });
    forwarded.on("response", (received) => void respond(received, response, PROMPT.test(path)));
    forwarded.on("error", () => {
      // If the client disconnected first, there is nothing to reset.
      if (response.socket?.destroyed === false) response.socket.resetAndDestroy();
    });
    return forwarded;
  }

  async function forwardPrompt(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const order = orderIn(body);
    if (rejected.delete(order)) {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "0" });
      response.end('{"success":false,"error":"Too many requests"}');
      return;
    }
    const isHeld = held.delete(order);
    if (!stopped && (random.chance(LATE_SHARE) || isHeld)) {
      late++;
      await sleep(random.between(MIN_ON_ITS_WAY_MS, MAX_ON_ITS_WAY_MS));
    }
    // What has arrived here goes on to the service, also when its client is gone by now.
    forward(request, response).end(body);
  }

  const server = createServer((request, response) => {
    if (PROMPT.test(request.url ?? "")) {
      // The client may go before it has sent its body.
      forwardPrompt(request, response).catch(() => response.destroy());
      return;
    }
    const forwarded = forward(request, response);
    // The client is gone, or has its response.
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  });

  // As load balancers do. A worker that slept through its lease still has an open connection.
  server.keepAliveTimeout = KEEP_ALIVE_MS;

  async function open(port: number): Promise<number> {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }
  async function close(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  const port = await open(0);
  return {
    port,
    counts,
    late: () => late,
    reject: (order) => {
      rejected.add(order);
    },
    hold: (order) => {
      held.add(order);
    },
    restart: async () => {
      await close();
      await sleep(DOWN_MS);
      await open(port);
    },
    stopFaults: () => {
      stopped = true;
    },
    close: async () => {
      await close();
      agent.destroy();
    },
  };
}

/** The order that a prompt is for. */
function orderIn(body: Buffer): string {
  try {
    return String(JSON.parse(body.toString()).account_reference);
  } catch {
    return "";
  }
}
