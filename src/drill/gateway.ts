import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { endpointFor } from "../contract/endpoints.ts";
import type { Sandbox } from "../sandbox/types.ts";
import type { CaseRun } from "./case-run.ts";
import type { Effect, Subject, When } from "./cases.ts";
import type { Runs } from "./runs.ts";

/** Where the shop's requests arrive: the sandbox behind a door at which things go wrong. */
export interface DrillGateway {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Stops the process of the shop. Resolves when a held request may go on. */
type ProcessFault = (run: CaseRun, step?: Promise<void>) => Promise<void>;

const STARTS = ["payments.initiate", "mobileMoney.initiate"];
const READS = ["payments.get", "mobileMoney.status"];

/** @param faults - Whether planned faults happen. A drill that forgot them must fail. */
export async function startGateway(
  sandbox: Sandbox,
  runs: Runs,
  processFault: ProcessFault,
  slowMs: number,
  faults = true,
): Promise<DrillGateway> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const body = (await buffer(request)).toString();
    const path = url.replace(/^\/api\/v1/, "");
    const { run, subject } = subjectOf(method, path, body);
    const line = `${method} ${path.split("?")[0]}`;
    // A fault is for the first request of its kind.
    const isFirst = run !== undefined && subject !== undefined && !run.seen.has(subject);
    if (subject !== undefined) run?.seen.add(subject);
    const effectAt = (when: When): Effect | undefined =>
      isFirst && faults ? run.takeFault(subject, when) : undefined;

    const before = effectAt("before");
    if (await breakRequest(before, run, response, "before", line)) return;
    if (response.destroyed) return;
    if (before?.kind === "revoked") headers["x-api-key"] = revokedKey(sandbox);
    const answer = await sandbox.fetch(`${sandbox.baseUrl}${path}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
      ...(body !== "" && { body }),
    });
    const text = await answer.text();
    run?.note("shop", `${line}: the service returned ${answer.status}`);
    if (subject === "start" && run !== undefined && answer.ok) {
      const reference = referenceIn(text);
      runs.byReference.set(reference, run);
      await run.prompted(reference);
    }
    if (await breakRequest(effectAt("middle"), run, response, "middle", line, { answer, text }))
      return;
    const after = effectAt("after");
    const sent = once(response, "close").then(() => {});
    if (after !== undefined && run !== undefined) {
      const written = new Promise<void>((resolve) => response.once("finish", resolve));
      await processFault(run, Promise.race([written, sent]));
    }
    send(response, answer.status, answer.headers, text);
  }

  function subjectOf(
    method: string,
    path: string,
    body: string,
  ): { run?: CaseRun; subject?: Subject } {
    const { name = "", params = [] } = endpointFor(method, path.split("?")[0] ?? "") ?? {};
    const subject = STARTS.includes(name) ? "start" : READS.includes(name) ? "read" : undefined;
    const run =
      subject === "start"
        ? runs.inText(body)
        : (runs.byReference.get(params[0] ?? "") ?? runs.inText(body));
    return { ...(run && { run }), ...(subject && { subject }) };
  }

  /** Does what goes wrong with a request. Returns true if the request is over. */
  async function breakRequest(
    effect: Effect | undefined,
    run: CaseRun | undefined,
    response: ServerResponse,
    when: When,
    line: string,
    made?: { readonly answer: Response; readonly text: string },
  ): Promise<boolean> {
    if (effect === undefined || run === undefined) return false;
    const say = (text: string) => {
      run.faultHappened = true;
      run.note("drill", text);
    };
    switch (effect.kind) {
      case "kill":
      case "stop":
        await processFault(run);
        return effect.kind === "kill";
      case "reset":
        say(
          when === "before" ? `took the request ${line} away` : `took the response to ${line} away`,
        );
        response.socket?.resetAndDestroy();
        return true;
      case "truncate":
        say(`broke the response to ${line} off in the middle`);
        response.writeHead(made?.answer.status ?? 200, {
          "content-type": "application/json",
          "content-length": String(made?.text.length),
        });
        response.write(made?.text.slice(0, 10) ?? "", () => response.socket?.destroy());
        return true;
      case "slow":
        say(`held ${when === "before" ? line : `the response to ${line}`} for ${slowMs / 1_000} s`);
        await sleep(slowMs, undefined, { ref: false });
        // What has left the shop arrives, also if the shop no longer waits for it.
        return false;
      case "revoked":
        say(`revoked the key of ${line}`);
        return false;
      case "status": {
        say(
          `returned ${effect.status} for ${line}${when === "middle" ? ", after the service had done it" : ""}`,
        );
        const headers = new Headers({ "content-type": "application/json" });
        if (effect.retryAfter !== undefined) headers.set("retry-after", String(effect.retryAfter));
        send(
          response,
          effect.status,
          headers,
          '{"success":false,"error":"The drill returned this error."}',
        );
        return true;
      }
      default:
        return false;
    }
  }

  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function send(response: ServerResponse, status: number, headers: Headers, text: string): void {
  response.writeHead(status, {
    ...Object.fromEntries(headers),
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** A key that was right once. The shop's own one stays: nothing could give the shop another one. */
function revokedKey(sandbox: Sandbox): string {
  const key = sandbox.createKey({ kind: "secret" });
  sandbox.revokeKey(key);
  return key;
}

function referenceIn(text: string): string {
  const { data } = JSON.parse(text) as { data: { reference: string } };
  return data.reference;
}
