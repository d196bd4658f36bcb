import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { endpointFor } from "../contract/endpoints.ts";
import type { Sandbox } from "../sandbox/types.ts";
import type { CaseRun, Runs } from "./case-run.ts";
import { isOfProcess, type Subject, type When } from "./cases.ts";

/** The requests at which something can go wrong. */
const SUBJECTS: Readonly<Record<string, Subject>> = {
  "payments.initiate": "start",
  "mobileMoney.initiate": "start",
  "payments.get": "read",
  "mobileMoney.status": "read",
};

const PREFIX = "/api/v1";

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sandbox: Sandbox;
  readonly slowMs: number;
  readonly run: CaseRun;
  /** What the service returned, if it has processed the request. */
  readonly result: Result | undefined;
}

interface Result {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ERROR = '{"success":false,"error":"The drill returned this error."}';
const JSON_TYPE = { "content-type": "application/json" };

/** What goes wrong with a request, by the kind of the fault. */
const FAULTS: Readonly<Record<string, (exchange: Exchange) => unknown>> = {
  kill: ({ run }) => run.disturb(),
  stop: ({ run }) => run.disturb(),
  reset: ({ response }) => response.socket?.resetAndDestroy(),
  truncate: ({ response, result }) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": result?.body.length });
    response.write(result?.body.slice(0, 10), () => response.socket?.destroy());
  },
  slow: ({ slowMs }) => sleep(slowMs, undefined, { ref: false }),
  "500": ({ response }) => send(response, { status: 500, headers: JSON_TYPE, body: ERROR }),
  "429": ({ response }) => {
    const headers = { ...JSON_TYPE, "retry-after": "1" };
    send(response, { status: 429, headers, body: ERROR });
  },
  // The shop's own key stays valid: nothing could give the shop a new one.
  revoked: ({ request, sandbox }) => {
    const key = sandbox.createKey({ kind: "secret" });
    sandbox.revokeKey(key);
    request.headers["x-api-key"] = key;
  },
};

function send(response: ServerResponse, { status, headers, body }: Result): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** The sandbox on HTTP. Faults happen to the requests of the shop here. */
export class DrillGateway {
  readonly #sandbox: Sandbox;
  readonly #runs: Runs;
  readonly #slowMs: number;
  readonly #server: Server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  constructor(sandbox: Sandbox, runs: Runs, slowMs: number) {
    this.#sandbox = sandbox;
    this.#runs = runs;
    this.#slowMs = slowMs;
    this.#server.keepAliveTimeout = 60_000;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${PREFIX}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const body = await text(request);
    const target = url.replace(PREFIX, "");
    const [path = ""] = target.split("?");
    const { name = "", params = [] } = endpointFor(method, path) ?? {};
    const run = this.#runs.byReference.get(params[0] ?? "") ?? this.#runs.inText(body);
    const { [name]: subject } = SUBJECTS;
    const fault = subject && run?.begin(subject);
    const [sandbox, slowMs] = [this.#sandbox, this.#slowMs];

    /** Causes the fault if this is its moment. Returns true if the request is over. */
    const isOver = async (when: When, result?: Result): Promise<boolean> => {
      if (fault?.when !== when || run === undefined) return false;
      if (!isOfProcess(fault)) run.happen();
      await FAULTS[fault.kind]?.({ request, response, sandbox, slowMs, run, result });
      return response.headersSent || response.destroyed || request.socket.destroyed;
    };

    if (await isOver("before")) return;
    const answer = await sandbox.fetch(sandbox.baseUrl + target, {
      method,
      headers: headers as Record<string, string>,
      ...(body !== "" && { body }),
    });
    const { status } = answer;
    const result = {
      status,
      headers: Object.fromEntries(answer.headers),
      body: await answer.text(),
    };
    run?.note("shop", `${method} ${path}: the service returned ${status}`);
    if (subject === "start" && run !== undefined && answer.ok) {
      const { reference } = JSON.parse(result.body).data as { reference: string };
      this.#runs.byReference.set(reference, run);
      await run.prompted(reference);
    }
    if (await isOver("middle", result)) return;
    if (fault?.when === "after") {
      await run?.disturb(Promise.race([once(response, "finish"), once(response, "close")]));
    }
    send(response, result);
  }
}
