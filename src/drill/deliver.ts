import { request as send } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject } from "../internal/is-object.ts";
import type { Deliver } from "../sandbox/options.ts";
import { signWebhook } from "../webhooks/verification/signature.ts";
import type { CaseRun } from "./case-run.ts";
import type { Effect, When } from "./cases.ts";
import { ANSWERED, FORGED } from "./promises.ts";
import type { Runs } from "./runs.ts";

/** How long a late delivery waits. The service itself waits 5 s for the response to it. */
const LATE_MS = 1_500;
const TIMEOUT_MS = 5_000;
/** How long a shop reads a delivery, roughly: the fault in the middle comes after that. */
const READING_MS = 3;

interface Sent {
  readonly url: string;
  readonly body: string;
  readonly signature: string | undefined;
}

interface DeliverContext {
  readonly runs: Runs;
  readonly secret: () => string;
  /** Stops the process of the shop. */
  readonly processFault: (run: CaseRun, step?: Promise<void>) => Promise<void>;
  /** Counts the beginnings and the ends of what stops the process: odd while it cannot respond. */
  readonly disturbances: () => number;
  readonly faults: boolean;
}

const signatureHeader = "x-service-signature";

/** Posts to the shop's receiver; `undefined`: no response. */
function post({ url, body, signature }: Sent, onSent = () => {}): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...(signature !== undefined && { [signatureHeader]: signature }),
    };
    const request = send(
      url,
      { method: "POST", headers, agent: false, timeout: TIMEOUT_MS },
      (response) => {
        response.resume().once("close", () => resolve(response.statusCode));
      },
    );
    request.once("finish", onSent);
    request.once("timeout", () => request.destroy());
    request.once("error", () => resolve(undefined));
    request.end(body);
  });
}

/** The sender of a drill's sandbox: it delivers, and at chosen moments it does not. */
export function createDeliver(context: DeliverContext): Deliver {
  const { runs, secret, processFault, disturbances, faults } = context;

  return async (request) => {
    const body = await request.text();
    const sent: Sent = {
      url: request.url,
      body,
      signature: request.headers.get(signatureHeader) ?? "",
    };
    const { event, data } = JSON.parse(body) as { event: string; data: Record<string, unknown> };
    const run = runs.byReference.get(String(data.reference)) ?? runs.inText(body);
    if (run === undefined) return new Response(null, { status: (await post(sent)) ?? 504 });
    const subject = event === "payment.initiated" ? "initiated" : "final";
    const isFirst = !run.seen.has(subject);
    run.seen.add(subject);
    const effectAt = (when: When) => (isFirst && faults ? run.takeFault(subject, when) : undefined);
    const say = (text: string) => {
      run.faultHappened = true;
      run.note("drill", text);
    };
    if (run.isLost(event)) throw new Error("the drill lost it");

    const before = effectAt("before");
    const changed = await beforeDelivery(before, run, sent, event, say);
    const middle = effectAt("middle");
    const after = effectAt("after");
    let step = () => {};
    const reached = new Promise<void>((resolve) => {
      step = resolve;
    });
    const isProcess = (effect: Effect | undefined) =>
      effect?.kind === "kill" || effect?.kind === "stop";
    if (isProcess(middle))
      await processFault(
        run,
        reached.then(() => sleep(READING_MS)),
      );
    if (isProcess(after)) await processFault(run, reached);
    const began = performance.now();
    const disturbance = disturbances();
    const status = await post(changed, middle === undefined ? undefined : step);
    step();
    const tookMs = performance.now() - began;
    run.note(
      "service",
      `delivered ${event}: the shop ${status === undefined ? "did not respond" : `returned ${status}`}`,
    );
    // A process that was killed or stopped meanwhile could not respond.
    const isUndisturbed = disturbance % 2 === 0 && disturbances() === disturbance;
    if (isUndisturbed) judgeResponse(run, event, status, tookMs);
    if (middle?.kind === "lost200") {
      say(`took the shop's response to ${event} away`);
      throw new Error("the drill lost the response");
    }
    afterDelivery(after, run, changed, say);
    if (status === undefined) throw new Error("no response");
    return new Response(null, { status });
  };

  function judgeResponse(
    run: CaseRun,
    event: string,
    status: number | undefined,
    tookMs: number,
  ): void {
    if (status === undefined) {
      const what =
        tookMs >= TIMEOUT_MS
          ? `no response to ${event} within 5 s`
          : `the connection for ${event} was closed without a response`;
      run.blame(ANSWERED, what);
    } else if (status >= 400 && status < 500) {
      run.blame(ANSWERED, `the shop returned ${status} for a genuine ${event}`);
    }
  }

  /** Returns what is to be delivered. */
  async function beforeDelivery(
    effect: Effect | undefined,
    run: CaseRun,
    sent: Sent,
    event: string,
    say: (text: string) => void,
  ): Promise<Sent> {
    switch (effect?.kind) {
      case "kill":
      case "stop":
        await processFault(run);
        return sent;
      case "never":
        say(`lost ${event}, for good`);
        run.lose(event);
        throw new Error("the drill lost it");
      case "late":
        say(`held ${event} for ${LATE_MS / 1_000} s`);
        await sleep(LATE_MS);
        return sent;
      case "twice":
        say(`delivered ${event} twice at once`);
        void post(sent);
        return sent;
      case "rewritten": {
        say(`wrote ${event} with other white space and escapes, and signed it`);
        const body = JSON.stringify(JSON.parse(sent.body), null, 2).replaceAll("/", "\\/");
        return { ...sent, body, signature: signWebhook(body, secret()) };
      }
      case "forged":
      case "unsigned":
      case "altered":
        await sendForged(effect.kind, run, sent, say);
        return sent;
      default:
        return sent;
    }
  }

  /** An event that says the opposite of the truth, and is not the service's. */
  async function sendForged(
    kind: "forged" | "unsigned" | "altered",
    run: CaseRun,
    sent: Sent,
    say: (text: string) => void,
  ): Promise<void> {
    const body = oppositeOf(sent.body);
    const signature = {
      forged: signWebhook(body, "whsec_not_the_secret"),
      unsigned: undefined,
      altered: sent.signature,
    }[kind];
    const status = await post({ ...sent, body, signature });
    say(
      `sent ${kind === "altered" ? "an altered" : kind === "forged" ? "a forged" : "an unsigned"} event: the shop returned ${status ?? "nothing"}`,
    );
    if (status === undefined || status < 400 || status >= 500) {
      run.blame(
        FORGED,
        `it returned ${status ?? "nothing"} for an event that is not the service's`,
      );
    }
  }

  function afterDelivery(
    effect: Effect | undefined,
    run: CaseRun,
    sent: Sent,
    say: (text: string) => void,
  ): void {
    if (effect?.kind === "again") {
      run.atEnd = async () => {
        await post(sent);
        say("delivered the old event once more");
      };
      run.faultHappened = true;
    }
    if (effect?.kind === "conflict") {
      const body = oppositeOf(sent.body);
      const contradiction = { ...sent, body, signature: signWebhook(body, secret()) };
      run.atEnd = async () => {
        await post(contradiction);
        say("delivered a genuine event that contradicts the first one");
      };
    }
  }
}

/** `payment.completed` for a failed payment, and the other way round. */
function oppositeOf(text: string): string {
  const { event, data, ...rest } = JSON.parse(text) as {
    event: string;
    data: Record<string, unknown>;
  };
  const isPaid = event === "payment.completed";
  const {
    failure_reason: _r,
    user_message: _m,
    retry_possible: _p,
    ...payment
  } = isObject(data) ? data : {};
  const failed = {
    failure_reason: "1032: Cancelled",
    user_message: "You cancelled.",
    retry_possible: true,
  };
  const paid = { transaction_id: "DRILL0000X", provider_transaction_id: "DRILL0000X" };
  return JSON.stringify({
    ...rest,
    event: isPaid ? "payment.failed" : "payment.completed",
    data: { ...payment, status: isPaid ? "failed" : "completed", ...(isPaid ? failed : paid) },
  });
}
