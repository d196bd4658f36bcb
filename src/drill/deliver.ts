import { EventEmitter, once } from "node:events";
import { request as send } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Deliver } from "../sandbox/options.ts";
import { signWebhook } from "../webhooks/verification/signature.ts";
import { type CaseRun, findRun, type Scene } from "./case-run.ts";
import { type Fault, isOfProcess } from "./cases.ts";
import { ANSWERED, FORGED } from "./promises.ts";

/** How long a late delivery waits. The service itself waits 5 s for the response to it. */
const LATE_MS = 1_500;
const TIMEOUT_MS = 5_000;
/** How long a shop reads a delivery, roughly: a fault in the middle comes after that. */
const READING_MS = 3;
const SIGNATURE = "x-service-signature";

interface Delivery {
  readonly url: string;
  readonly body: string;
  readonly signature: string | undefined;
}

/** Posts to the shop's receiver; `undefined`: no response. */
function post(
  { url, body, signature }: Delivery,
  onSent: () => unknown = () => {},
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...(signature !== undefined && { [SIGNATURE]: signature }),
    };
    const request = send(url, { method: "POST", headers, agent: false, timeout: TIMEOUT_MS });
    request.once("response", (response) => {
      response.resume().once("close", () => resolve(response.statusCode));
    });
    request.once("finish", onSent);
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(undefined));
    request.end(body);
  });
}

/** The sender of a drill's sandbox: faults happen to the deliveries here. */
export function createDeliver(scene: Scene): Deliver {
  return async (request) => {
    const { url } = request;
    const { runs, shop } = scene;
    const body = await request.text();
    const signature = request.headers.get(SIGNATURE) ?? "";
    const { event, data } = JSON.parse(body);
    const run = findRun(runs, body, data.reference);
    const delivery = { url, body, signature };
    if (run === undefined) return new Response(null, { status: (await post(delivery)) ?? 504 });
    const fault = run.begin(event === "payment.initiated" ? "initiated" : "final");
    if (run.lost.has(event)) throw new Error("The drill lost it.");

    const changed = fault ? await prepare(fault, run, event, delivery) : delivery;
    const moments = new EventEmitter();
    if (isOfProcess(fault) && fault?.when !== "before") {
      const ended = once(moments, "ended");
      const read = once(moments, "sent").then(() => sleep(READING_MS));
      await run.disturb(fault?.when === "middle" ? Promise.race([read, ended]) : ended);
    }
    const began = performance.now();
    const status = await post(changed, () => moments.emit("sent"));
    moments.emit("ended");
    const result = status === undefined ? "did not respond" : `returned ${status}`;
    run.note("service", `delivered ${event}: the shop ${result}`);
    // A process that was killed or stopped meanwhile could not respond.
    if (shop.wasUpSince(began)) checkResponse(run, event, status, performance.now() - began);
    if (fault?.kind === "lost200") {
      run.happen();
      throw new Error("The drill lost the response.");
    }
    if (status === undefined) throw new Error("The shop did not respond.");
    return new Response(null, { status });
  };

  /** Causes what goes wrong with a delivery. Returns what is delivered. */
  async function prepare(
    fault: Fault,
    run: CaseRun,
    event: string,
    delivery: Delivery,
  ): Promise<Delivery> {
    const { kind } = fault;
    const { body, signature } = delivery;
    const signed = (text: string, key = scene.sandbox.webhookSecret) => ({
      ...delivery,
      body: text,
      signature: signWebhook(text, key),
    });
    if (fault.when === "after" && !isOfProcess(fault)) {
      const last = kind === "again" ? delivery : signed(oppositeOf(body));
      run.atEnd = async () => {
        run.happen();
        await post(last);
      };
    }
    if (fault.when !== "before") return delivery;
    if (isOfProcess(fault)) {
      await run.disturb();
      return delivery;
    }
    run.happen();
    if (kind === "never") {
      run.lost.add(event);
      throw new Error("The drill lost it.");
    }
    if (kind === "late") await sleep(LATE_MS);
    if (kind === "twice") void post(delivery);
    if (kind === "rewritten") {
      return signed(JSON.stringify(JSON.parse(body), null, 2).replaceAll("/", "\\/"));
    }
    const forged = signed(oppositeOf(body), "whsec_not_the_secret");
    if (kind === "forged") await sendForged(run, forged);
    if (kind === "unsigned") await sendForged(run, { ...forged, signature: undefined });
    if (kind === "altered") await sendForged(run, { ...forged, signature });
    return delivery;
  }
}

function checkResponse(run: CaseRun, event: string, status: number | undefined, ms: number): void {
  if (status === undefined) {
    const inTime = `the connection for ${event} was closed without a response`;
    run.blame(ANSWERED, ms < TIMEOUT_MS ? inTime : `no response to ${event} within 5 s`);
  } else if (status >= 400 && status < 500) {
    run.blame(ANSWERED, `the shop returned ${status} for a genuine ${event}`);
  }
}

async function sendForged(run: CaseRun, forged: Delivery): Promise<void> {
  const status = await post(forged);
  const result = `returned ${status ?? "nothing"} for an event that is not the service's`;
  run.note("shop", result);
  if (status === undefined || status < 400 || status >= 500) run.blame(FORGED, `it ${result}`);
}

const CANCELLED = {
  status: "failed",
  failure_reason: "1032: Cancelled",
  user_message: "You cancelled.",
  retry_possible: true,
};
const COMPLETED = {
  status: "completed",
  transaction_id: "DRILL0000X",
  provider_transaction_id: "DRILL0000X",
};

/** `payment.completed` for a failed payment, and the other way round. */
function oppositeOf(text: string): string {
  const { data, ...rest } = JSON.parse(text);
  if (rest.event === "payment.completed") {
    return JSON.stringify({ ...rest, event: "payment.failed", data: { ...data, ...CANCELLED } });
  }
  const { failure_reason: _r, user_message: _m, retry_possible: _p, ...payment } = data;
  const paid = { ...payment, ...COMPLETED };
  return JSON.stringify({ ...rest, event: "payment.completed", data: paid });
}
