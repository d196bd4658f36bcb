import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { type EndpointName, endpointFor } from "../contract/endpoints.ts";
import { parseJson } from "../internal/json.ts";
import { type CaseRun, findRun, type Scene } from "./case-run.ts";
import { isOfProcess, type Subject, type When } from "./cases.ts";
import { MAX_SERVICE_MS, pace } from "./machine-pace.ts";
import { MAX_RING_MS } from "./promises.ts";

/** The requests at which something can go wrong. */
const SUBJECTS: Readonly<Partial<Record<EndpointName, Subject>>> = {
  "payments.initiate": "start",
  "mobileMoney.initiate": "start",
  "payments.get": "read",
  "mobileMoney.status": "read",
};

const PREFIX = "/api/v1";
/** Longer than a prompt may take after the click. */
const AWAY_MS = MAX_RING_MS + 10_000;
/** How long the prompt request waits while the other process of the shop looks at the order. */
const LOOK_MS = 700;

/** The payments of all shops that run now. A shop that asks for a payment of another shop has the same database. */
const SCENES = new Map<string, Scene>();

interface Exchange {
  readonly scene: Scene;
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

const reset = ({ response }: Exchange) => response.socket?.resetAndDestroy();

/** The other process gets the order, too, and then the first one gets what the row says. */
const afterLook = (then: (exchange: Exchange) => unknown) => async (exchange: Exchange) => {
  void exchange.run.askOther();
  await sleep(LOOK_MS, undefined, { ref: false });
  await then(exchange);
};

/** What goes wrong with a request, by the kind of the fault. */
const FAULTS: Readonly<Record<string, (exchange: Exchange) => unknown>> = {
  kill: ({ run }) => run.disturb(),
  stop: ({ run }) => run.disturb(),
  reset,
  truncate: ({ response, body = "" }) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.write(body.slice(0, 10), () => response.socket?.destroy());
  },
  slow: ({ scene }) => sleep(scene.settings.slowMs, undefined, { ref: false }),
  "422": (exchange) => sendError(exchange, 422),
  "429": (exchange) => sendError(exchange, 429, { "retry-after": "1" }),
  "500": (exchange) => sendError(exchange, 500),
  // The shop's own key stays valid: nothing could give the shop a new one.
  revoked: ({ request, scene: { sandbox } }) => {
    const key = sandbox.createKey({ kind: "secret" });
    sandbox.revokeKey(key);
    request.headers["x-api-key"] = key;
  },
  away: (exchange) => {
    exchange.scene.awayUntil ||= performance.now() + AWAY_MS;
    reset(exchange);
  },
  look: afterLook(() => {}),
  look401: afterLook((exchange) => sendError(exchange, 401)),
  look422: afterLook((exchange) => sendError(exchange, 422)),
  look429: afterLook((exchange) => sendError(exchange, 429, { "retry-after": "1" })),
  lookReset: afterLook(reset),
};

/** Passes a request of the shop to the sandbox. A fault happens to it on the way. */
async function exchange(
  scene: Scene,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { runs } = scene;
  const { method = "GET", url = "/" } = request;
  const sent = await text(request);
  const began = performance.now();
  const [path = ""] = url.replace(PREFIX, "").split("?");
  const found = endpointFor(method, path);
  const run = findRun(runs, sent, found?.params[0]);
  const subject = found && SUBJECTS[found.name];
  scene.sharesData ||= (SCENES.get(found?.params[0] ?? "") ?? scene) !== scene;
  const fault = subject && run?.begin(subject);

  /** Causes the fault if this is its moment. Returns true if the request is over. */
  const isOver = async (when: When, body = ""): Promise<boolean> => {
    if (fault?.when !== when || run === undefined) return false;
    if (!isOfProcess(fault)) run.happen(fault);
    await FAULTS[fault.kind]?.({ scene, request, response, run, body });
    return response.headersSent || response.destroyed || request.socket.destroyed;
  };

  // Whatever is sent meanwhile, no matter for which order, gets no response.
  const goesAway = fault?.kind === "away" && fault.when === "middle";
  if (performance.now() < scene.awayUntil && !goesAway) {
    run?.happen(fault);
    response.socket?.resetAndDestroy();
    return;
  }
  const isPlanned = () => fault !== undefined || performance.now() < scene.awayUntil;
  // A shop that gives up before the response meets a fault that no case plans.
  response.once("close", () => {
    const isCut = !response.writableFinished && scene.shops.every((one) => one.wasUpSince(began));
    if (isCut && !isPlanned() && pace.wasBusySince(began)) {
      run?.wasDelayed(`the shop did not wait for the response to ${method} ${path}`);
    }
  });
  if (await isOver("before")) return;
  const pass = () => passOn(scene, request, sent, subject === "start" ? run : undefined);
  const answer = await (run?.whileBusy(pass) ?? pass());
  const { status } = answer;
  const body = withReported(runs, answer.body, answer.isList || subject === "read");
  run?.note("shop", `${method} ${path}: the service returned ${status}`);
  if (await isOver("middle", body)) return;
  if (fault?.when === "after") {
    await run?.disturb("after", Promise.race([once(response, "finish"), once(response, "close")]));
  }
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...answer.headers, "content-length": length });
  response.end(body);
  if (isPlanned()) return;
  const tookMs = performance.now() - began;
  if (tookMs > MAX_SERVICE_MS) {
    run?.wasDelayed(`its service took ${(tookMs / 1_000).toFixed(1)} s for ${method} ${path}`);
  }
}

/** Sends a request to the sandbox. The customer of a new payment is asked. */
async function passOn(
  scene: Scene,
  { method = "GET", url = "/", headers }: IncomingMessage,
  sent: string,
  started: CaseRun | undefined,
) {
  const { sandbox, client } = scene;
  // What became of the earlier payments decides whether another prompt is one too many.
  await started?.updatePayments();
  const target = url.replace(PREFIX, "");
  const answer = await sandbox.fetch(sandbox.baseUrl + target, {
    method,
    headers: headers as Record<string, string>,
    ...(sent !== "" && { body: sent }),
  });
  const body = await answer.text();
  if (started !== undefined && answer.ok) {
    const { reference } = JSON.parse(body).data;
    SCENES.set(reference, scene);
    const { phone, amount, account_reference: label } = JSON.parse(sent);
    const { phone: number } = await client.payments.get(reference);
    const known = started.phoneNumbers.find((one) => `${number}`.endsWith(one.slice(1)));
    const paid = { reference, amount: Number(amount), label: String(label ?? "") };
    started.prompted({ ...paid, phone: known ?? `${phone}`, number: `${number}` });
  }
  const isList = method === "GET" && /^\/payments\/?(\?|$)/.test(target);
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body, isList };
}

/** What a read or the list says of payments: what the case shows may differ from what the sandbox knows. */
function withReported(runs: readonly CaseRun[], body: string, isRead: boolean): string {
  const { data, ...rest } = Object(isRead ? parseJson(body) : undefined);
  if (typeof data !== "object" || data === null) return body;
  const read = (payment: Record<string, unknown>) => {
    for (const run of runs) {
      const known = run.payments.find(({ reference }) => reference === payment.reference);
      if (known === undefined) continue;
      const reported = { ...payment, ...known.reported };
      run.hasReadPaid ||= reported.status === "completed";
      return reported;
    }
    return payment;
  };
  return JSON.stringify({ ...rest, data: Array.isArray(data) ? data.map(read) : read(data) });
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
      for (const [reference, one] of SCENES) if (one === scene) SCENES.delete(reference);
      server.close();
      server.closeAllConnections();
    },
  };
}
