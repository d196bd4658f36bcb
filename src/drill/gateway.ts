import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { endpointFor } from "../contract/endpoints.ts";
import { type CaseRun, findRun, type Scene } from "./case-run.ts";
import { isOfProcess, type Subject, type When } from "./cases.ts";

/** The requests at which something can go wrong. */
const SUBJECTS: Readonly<Record<string, Subject>> = {
  "payments.initiate": "start",
  "mobileMoney.initiate": "start",
  "payments.get": "read",
  "mobileMoney.status": "read",
};

const PREFIX = "/api/v1";

interface Exchange extends Scene {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly run: CaseRun;
  /** The body of the service's response, if it has processed the request. */
  readonly body?: string;
}

function sendError({ response }: Exchange, status: number, headers: object = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end('{"success":false,"error":"The drill returned this error."}');
}

/** What goes wrong with a request, by the kind of the fault. */
const FAULTS: Readonly<Record<string, (exchange: Exchange) => unknown>> = {
  kill: ({ run }) => run.disturb(),
  stop: ({ run }) => run.disturb(),
  reset: ({ response }) => response.socket?.resetAndDestroy(),
  truncate: ({ response, body = "" }) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.write(body.slice(0, 10), () => response.socket?.destroy());
  },
  slow: ({ settings }) => sleep(settings.slowMs, undefined, { ref: false }),
  "500": (exchange) => sendError(exchange, 500),
  "429": (exchange) => sendError(exchange, 429, { "retry-after": "1" }),
  // The shop's own key stays valid: nothing could give the shop a new one.
  revoked: ({ request, sandbox }) => {
    const key = sandbox.createKey({ kind: "secret" });
    sandbox.revokeKey(key);
    request.headers["x-api-key"] = key;
  },
};

/** Passes a request of the shop to the sandbox. A fault happens to it on the way. */
async function exchange(
  scene: Scene,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { sandbox, runs } = scene;
  const { method = "GET", url = "/", headers } = request;
  const sent = await text(request);
  const target = url.replace(PREFIX, "");
  const [path = ""] = target.split("?");
  const { name = "", params = [] } = endpointFor(method, path) ?? {};
  const run = findRun(runs, sent, params[0]);
  const { [name]: subject } = SUBJECTS;
  const fault = subject && run?.begin(subject);

  /** Causes the fault if this is its moment. Returns true if the request is over. */
  const isOver = async (when: When, body = ""): Promise<boolean> => {
    if (fault?.when !== when || run === undefined) return false;
    if (!isOfProcess(fault)) run.happen();
    await FAULTS[fault.kind]?.({ ...scene, request, response, run, body });
    return response.headersSent || response.destroyed || request.socket.destroyed;
  };

  if (await isOver("before")) return;
  // What became of the earlier payments decides whether another prompt is one too many.
  if (subject === "start") await run?.updatePayments();
  const answer = await sandbox.fetch(sandbox.baseUrl + target, {
    method,
    headers: headers as Record<string, string>,
    ...(sent !== "" && { body: sent }),
  });
  const { status } = answer;
  const body = await answer.text();
  run?.note("shop", `${method} ${path}: the service returned ${status}`);
  if (subject === "start" && answer.ok) run?.prompted(JSON.parse(body).data.reference);
  if (await isOver("middle", body)) return;
  if (fault?.when === "after") {
    await run?.disturb(Promise.race([once(response, "finish"), once(response, "close")]));
  }
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...Object.fromEntries(answer.headers), "content-length": length });
  response.end(body);
}

/** Serves the sandbox on HTTP. Faults happen to the requests of the shop here. */
export async function serveGateway(scene: Scene) {
  const server = createServer((request, response) => {
    exchange(scene, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
