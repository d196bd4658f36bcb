import { EventEmitter, once } from "node:events";
import { request as send } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { FAILURE_FIELDS } from "../contract/payment-state.ts";
import type { Deliver } from "../sandbox/sandbox-options.ts";
import { signWebhook } from "../webhooks/verification/signature.ts";
import { type CaseRun, findRun, type Scene } from "./case-run.ts";
import { type Fault, isOfProcess } from "./cases.ts";
import type { DrillPayment } from "./drill-payment.ts";
import { pace, until } from "./machine-pace.ts";
import { ANSWERED, FORGED } from "./promises.ts";
import type { ShopProcess } from "./shop-process.ts";

/** Why a case has no verdict that needs a payment. */
export const TOO_LATE = "the payment failed before the customer answered";
/** How long a late delivery waits. The service itself waits 5 s for the response to it. */
const LATE_MS = 1_500;
const TIMEOUT_MS = 5_000;
/** How long a shop reads a delivery, roughly: a fault in the middle comes after that. */
const READING_MS = 3;
/** How long what is not the service's waits for a shop that is down. */
const MAX_DOWN_MS = 30_000;
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
    // The time without a byte is limited, and so is the whole: a response may come byte by byte for ever.
    const timeout = pace.scale(TIMEOUT_MS);
    const signal = AbortSignal.timeout(2 * timeout);
    const options = { method: "POST", headers, agent: false, timeout, signal };
    const request = send(url, options);
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
  const sender = new Sender(scene);
  return (request) => sender.deliver(request);
}

class Sender {
  readonly #scene: Scene;
  #turn = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** The processes of a shop take turns, as behind a load balancer. A process that is down gets nothing. */
  #nextShop(): ShopProcess {
    const { shops } = this.#scene;
    const up = shops.filter((one) => one.wasUpSince(performance.now()));
    return (up[this.#turn++ % up.length] ?? shops[0]) as ShopProcess;
  }

  async deliver(request: Request): Promise<Response> {
    const { runs, shops, awayUntil } = this.#scene;
    const body = await request.text();
    const signature = request.headers.get(SIGNATURE) ?? "";
    const { event, data } = JSON.parse(body);
    const run = findRun(runs, body, data.reference);
    const fault = run?.begin(event === "payment.initiated" ? "initiated" : "final");
    if (performance.now() < awayUntil) throw new Error("The service is away.");
    // A fault of the process happens to the first one.
    const shop = isOfProcess(fault) ? (shops[0] as ShopProcess) : this.#nextShop();
    const url = shops.length > 1 ? atOrigin(request.url, shop.origin) : request.url;
    const delivery = { url, body, signature };
    if (run === undefined) return new Response(null, { status: (await post(delivery)) ?? 504 });
    if (fault?.kind === "silent") {
      for (const kind of ["payment.initiated", "payment.completed", "payment.failed"]) {
        run.lost.add(kind);
      }
      run.happen(fault);
    }
    if (run.lost.has(event)) throw new Error("The drill lost it.");

    const changed = fault ? await this.#prepare(fault, run, event, delivery) : delivery;
    const status = await this.#postDuring(fault, run, event, changed);
    if (fault?.kind === "lost200") {
      run.happen(fault);
      throw new Error("The drill lost the response.");
    }
    if (status === undefined) throw new Error("The shop did not respond.");
    return new Response(null, { status });
  }

  /** Posts a delivery, and causes the fault of the process that belongs to it: in its middle, or after it. */
  async #postDuring(
    fault: Fault | undefined,
    run: CaseRun,
    event: string,
    delivery: Delivery,
  ): Promise<number | undefined> {
    const moments = new EventEmitter();
    if (fault !== undefined && isOfProcess(fault) && fault.when !== "before") {
      const ended = once(moments, "ended");
      const read = once(moments, "sent").then(() => sleep(READING_MS));
      const { when } = fault;
      await run.disturb(when, when === "middle" ? Promise.race([read, ended]) : ended);
    }
    const began = performance.now();
    const status = await post(delivery, () => moments.emit("sent"));
    moments.emit("ended");
    const result = status === undefined ? "did not respond" : `returned ${status}`;
    run.note("service", `delivered ${event}: the shop ${result}`);
    // A process that was killed or stopped meanwhile could not respond, and may have locked the others out.
    const isUp = this.#scene.shops.every((one) => one.wasUpSince(began));
    if (isUp && fault?.kind !== "status") checkResponse(run, event, status, began);
    return status;
  }

  /** Causes what goes wrong before a delivery, or plans what comes at the end. Returns what is delivered. */
  async #prepare(fault: Fault, run: CaseRun, event: string, delivery: Delivery): Promise<Delivery> {
    const { kind } = fault;
    const isMade = kind === "conflict" || TELLS[kind] !== undefined;
    if (isMade && event !== "payment.completed") {
      run.skipped = TOO_LATE;
      return delivery;
    }
    if (fault.when === "after" && !isOfProcess(fault)) {
      const last = kind === "again" ? delivery : this.#signed(delivery, oppositeOf(delivery.body));
      run.atEnd = async () => {
        run.happen(fault);
        await post(last);
      };
    }
    if (fault.when !== "before") return delivery;
    if (isOfProcess(fault)) {
      await run.disturb();
      return delivery;
    }
    run.happen(fault);
    return this.#changed(kind, run, event, delivery);
  }

  /** The delivery that a fault makes of one. */
  async #changed(
    kind: Fault["kind"],
    run: CaseRun,
    event: string,
    delivery: Delivery,
  ): Promise<Delivery> {
    const { body, signature } = delivery;
    if (kind === "never") {
      run.lost.add(event);
      throw new Error("The drill lost it.");
    }
    if (kind === "late") await sleep(LATE_MS);
    if (kind === "twice") void post(delivery);
    if (kind === "rewritten") {
      const rewritten = JSON.stringify(JSON.parse(body), null, 2).replaceAll("/", "\\/");
      return this.#signed(delivery, rewritten);
    }
    const tells = TELLS[kind];
    if (tells !== undefined) {
      const { data, ...rest } = JSON.parse(body);
      const payment = run.payments.find(({ reference }) => reference === data.reference);
      if (payment && tells.reads) payment.reported = tells.reads;
      if (tells.readsForMs !== undefined) {
        setTimeout(() => delete payment?.reported, tells.readsForMs).unref();
      }
      const webhook = kind === "currency" ? otherCurrency(data) : tells.webhook;
      const told = JSON.stringify({ ...rest, data: { ...data, ...webhook } });
      return this.#signed(delivery, told);
    }
    const forged = this.#signed(delivery, oppositeOf(body), "whsec_not_the_secret");
    if (kind === "forged") await sendForged(this.#scene, run, forged);
    if (kind === "unsigned") {
      await sendForged(this.#scene, run, { ...forged, signature: undefined });
    }
    if (kind === "altered") await sendForged(this.#scene, run, { ...forged, signature });
    return delivery;
  }

  #signed(
    delivery: Delivery,
    body: string,
    secret: string = this.#scene.sandbox.webhookSecret,
  ): Delivery {
    return { ...delivery, body, signature: signWebhook(body, secret) };
  }
}

const atOrigin = (url: string, origin: string) => origin + new URL(url).pathname;

/** The list follows later: until then, only the webhook says that a payment is completed. */
const NOT_YET = { reads: { status: "pending" }, readsForMs: 2_000 };

/** What the service tells of a payment in the place of the truth: in its webhook, and in its reads. */
const TELLS: Readonly<
  Record<
    string,
    {
      readonly webhook?: object;
      readonly reads?: Readonly<Record<string, unknown>>;
      readonly readsForMs?: number;
    }
  >
> = {
  amount: { webhook: { amount: "1.00" }, ...NOT_YET },
  currency: NOT_YET, // {@link otherCurrency}
  status: { webhook: { status: "failed" }, ...NOT_YET },
  lag: NOT_YET,
  paidAmount: { webhook: { amount: "1.00" }, reads: { amount: "1.00" } },
};

/** Another currency than that of a payment, in whatever country the shop sells. */
const otherCurrency = ({ currency }: { readonly currency?: unknown }) => ({
  currency: currency === "KES" ? "UGX" : "KES",
});

/** A failed payment becomes paid: what services do that accept a PIN which was entered late. */
export async function succeedLate(
  scene: Scene,
  run: CaseRun,
  payment: DrillPayment,
): Promise<void> {
  payment.reported = COMPLETED;
  payment.isLatePaid = true;
  payment.status = "completed";
  run.note("service", `${payment.reference} has succeeded after all`);
  await deliverFinal(scene, run, payment, "payment.completed");
}

/** Sends the final event of a payment, also if it was sent before. */
export async function deliverFinal(
  scene: Scene,
  run: CaseRun,
  { reference, reported }: DrillPayment,
  event: "payment.completed" | "payment.failed",
): Promise<void> {
  const { client, sandbox, shops } = scene;
  const data = { ...(await client.payments.get(reference)) } as Record<string, unknown>;
  if (event === "payment.completed") for (const name of FAILURE_FIELDS) delete data[name];
  const timestamp = sandbox.clock.now().toISOString();
  const body = JSON.stringify({ event, timestamp, data: { ...data, ...reported } });
  const url = `${shops[0]?.origin}${scene.settings.webhook}`;
  const signature = signWebhook(body, sandbox.webhookSecret);
  const status = await post({ url, body, signature });
  run.note("service", `delivered ${event}: the shop returned ${status ?? "nothing"}`);
}

function checkResponse(
  run: CaseRun,
  event: string,
  status: number | undefined,
  began: number,
): void {
  if (status === undefined) {
    const isClosed = performance.now() - began < TIMEOUT_MS;
    const late = `no response to ${event} within 5 s`;
    if (!isClosed && pace.wasBusySince(began)) run.wasDelayed(late);
    run.blame(
      ANSWERED,
      isClosed ? `the connection for ${event} was closed without a response` : late,
    );
  } else if (status >= 400 && status < 500) {
    run.blame(ANSWERED, `the shop returned ${status} for a genuine ${event}`);
  }
}

/** What is not the service's comes when the shop runs: one that is down rejects nothing. */
async function sendForged({ shops }: Scene, run: CaseRun, forged: Delivery): Promise<void> {
  const isUp = () => shops[0]?.wasUpSince(performance.now()) === true;
  let status: number | undefined;
  let began: number;
  do {
    if (!(await until(isUp, MAX_DOWN_MS))) {
      run.skipped = "the shop did not come back";
      return;
    }
    began = performance.now();
    status = await post(forged);
    if (status === undefined && pace.wasBusySince(began)) {
      run.wasDelayed("no response to a forged webhook within 5 s");
    }
  } while (status === undefined && !shops[0]?.wasUpSince(began));
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
  for (const name of FAILURE_FIELDS) delete data[name];
  const paid = { ...data, ...COMPLETED };
  return JSON.stringify({ ...rest, event: "payment.completed", data: paid });
}
