// One process of the shop. It takes jobs from the campaign, and webhooks over HTTP. It may be killed at
// any moment: everything that has to outlive it is in the store or in the service.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Gateway, isGatewayError, verifyWebhook } from "malipo";
import { createBackOffice } from "./back-office.ts";
import { type Checkout, createCheckout } from "./checkout.ts";
import type { ClockMessage, JobMessage, Jobs, Setup, WorkerMessage } from "./messages.ts";
import { openStore } from "./store.ts";
import { CALL_TIMEOUTS } from "./time-limits.ts";
import { recordedStore, type TooEarly } from "./worker/recorded-store.ts";
import { currentCall, reach, record, recordClockStep } from "./worker/recorder.ts";
import { applySabotage } from "./worker/sabotage.ts";
import { atRightTime, startMachine } from "./worker/worker-clock.ts";

const send = (message: WorkerMessage) => process.send?.(message);
const reportUnexpected = (error: unknown) =>
  record({
    what: "unexpected",
    error: error instanceof Error ? (error.stack ?? error.message) : `${error}`,
  });

/** The function that does each job. */
type JobHandlers = {
  readonly [Name in keyof Jobs]: (input: Jobs[Name]["input"]) => Promise<Jobs[Name]["output"]>;
};

function takeJobs(checkout: Checkout, office: ReturnType<typeof createBackOffice>): void {
  const handlers: JobHandlers = {
    pay: checkout.pay,
    payAgain: checkout.payAgain,
    resolve: office.resolve,
    reconcile: office.reconcile,
    listOpen: office.listOpen,
  };
  process.on("message", (message: JobMessage | ClockMessage) => {
    if ("offsetMs" in message) return recordClockStep(message.offsetMs);
    const { id, job, input } = message;
    handlers[job](input as never).then(
      (output) => send({ kind: "done", id, output }),
      (error: unknown) => {
        // A read that fails is tried again. Any other error is a defect.
        if (!isGatewayError(error)) reportUnexpected(error);
        send({ kind: "done", id });
      },
    );
  });
}

/** `fetch`, which reports when a prompt leaves and when its response is there. */
async function recordedFetch(url: string, init: RequestInit): Promise<Response> {
  const { key, attempt } = currentCall.getStore() ?? {};
  if (key === undefined || init.method !== "POST") return fetch(url, init);
  record({ what: "sending", key, attempt });
  try {
    const response = await fetch(url, init);
    record({ what: "response", key, attempt, status: response.status });
    reach("response");
    return response;
  } catch (error) {
    record({ what: "no_response", key, attempt });
    throw error;
  }
}

async function start(setup: Setup): Promise<void> {
  const { baseUrl, apiKey, webhookSecret, store: location, sabotage, machine } = setup;
  startMachine(machine);
  const { store, wakeups } = openStore(location);
  const tooEarly: TooEarly = new Map();
  const gateway = new Gateway({
    apiKey,
    baseUrl,
    idempotency: recordedStore(applySabotage(store, sabotage), tooEarly),
    fetch: recordedFetch,
    hooks: {
      request: ({ method, attempt }) => {
        if (method === "POST") reach(attempt === 1 ? "request" : "retry");
      },
    },
    ...CALL_TIMEOUTS,
  });
  takeJobs(createCheckout(gateway, wakeups), createBackOffice(gateway, tooEarly));

  const webhooks = createServer(async (request, response) => {
    try {
      const { headers } = request;
      const body = await buffer(request);
      const event = atRightTime(() => verifyWebhook({ body, headers, secret: webhookSecret }));
      const { reference } = event.data;
      if (typeof reference === "string") wakeups.notify(reference);
    } catch (error) {
      reportUnexpected(error);
    }
    response.end(JSON.stringify({ ResultCode: 0, ResultDesc: "received" }));
  }).listen(0, "127.0.0.1");
  await once(webhooks, "listening");
  send({ kind: "ready", port: (webhooks.address() as AddressInfo).port });
}

process.on("disconnect", () => process.exit());
const [setup] = await once(process, "message");
await start(setup as Setup);
