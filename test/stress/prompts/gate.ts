import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { drawsOf } from "./random.ts";

/** What the front of the service makes of an answer that it was given, after the charge. */
const MISHAPS = [
  { name: "none", weight: 84 },
  { name: "500", weight: 3 },
  { name: "504", weight: 3 },
  { name: "hang", weight: 3 },
  { name: "slow", weight: 7 },
] as const;

type Mishap = Exclude<(typeof MISHAPS)[number]["name"], "none">;

/** The front of the service, as a load balancer is. */
export interface Gate {
  readonly port: number;
  /** Mishaps after the charge. */
  readonly counts: Readonly<Record<Mishap, number>>;
  /** Closed for a moment, with every open connection cut. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const DOWN_MS = 150;
const SLOW_MS = 500;
const PROMPT = /\/mobile-money\/payment\/initiate$/;

/**
 * Passes on whatever comes, and breaks what the service behind it cannot: it answers a prompt that
 * was made with 500 or 504, late, or never.
 */
export async function openGate(seed: string, behind: number): Promise<Gate> {
  const draws = drawsOf(`${seed} gate`);
  const counts = { 500: 0, 504: 0, hang: 0, slow: 0 };
  const agent = new Agent({ keepAlive: true });

  async function pass(answer: IncomingMessage, response: ServerResponse, isPrompt: boolean) {
    const { statusCode = 502, headers } = answer;
    // Those that the service broke itself are broken enough.
    const isWhole = statusCode < 300 && headers["x-sandbox-fault"] === undefined;
    const { name } = isPrompt && isWhole ? draws.row(MISHAPS) : MISHAPS[0];
    if (name !== "none") counts[name]++;
    if (name === "hang") return;
    if (name === "500" || name === "504") {
      answer.resume();
      response.writeHead(Number(name), { "content-type": "text/html" });
      response.end("<html><body>The service did not answer in time.</body></html>");
      return;
    }
    if (name === "slow") await sleep(SLOW_MS);
    response.writeHead(statusCode, headers);
    // It broke off: so does this one.
    answer.on("error", () => response.destroy());
    answer.pipe(response);
  }

  const server = createServer((request, response) => {
    const { url: path = "/", method, headers } = request;
    const passed = send({ host: "127.0.0.1", port: behind, path, method, headers, agent });
    passed.on("response", (answer) => void pass(answer, response, PROMPT.test(path)));
    passed.on("error", () => {
      // Where the client left first there is nothing to reset.
      if (response.socket?.destroyed === false) response.socket.resetAndDestroy();
    });
    // Nobody waits for it any more.
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });

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
    restart: async () => {
      await close();
      await sleep(DOWN_MS);
      await open(port);
    },
    close: async () => {
      await close();
      agent.destroy();
    },
  };
}
