// One process of the shop. It takes jobs from the campaign, and webhooks over HTTP. It may be killed at
// any moment: everything that has to outlive it is in the store or in the service.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Gateway, isGatewayError, verifyWebhook } from "malipo";
import { createBackOffice } from "./back-office.ts";
import { type Checkout, createCheckout } from "./checkout.ts";
import type { JobMessage, Jobs, Setup, WorkerMessage } from "./messages.ts";
import type { Order } from "./plan.ts";
import { openStore } from "./store.ts";
import { CALL_TIMEOUTS } from "./time-limits.ts";

const send = (message: WorkerMessage) => process.send?.(message);
const reportUnexpected = (error: unknown) =>
  send({
    kind: "unexpected",
    what: error instanceof Error ? (error.stack ?? error.message) : `${error}`,
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
  };
  process.on("message", ({ id, job, input }: JobMessage) => {
    handlers[job](input as Order & Order[] & string[]).then(
      (output) => send({ kind: "done", id, output }),
      (error: unknown) => {
        // A read that fails is tried again. Any other error is a defect.
        if (!isGatewayError(error)) reportUnexpected(error);
        send({ kind: "done", id });
      },
    );
  });
}

async function start({ baseUrl, apiKey, webhookSecret, store: location }: Setup): Promise<void> {
  const { store, wakeups } = openStore(location);
  const gateway = new Gateway({ apiKey, baseUrl, idempotency: store, ...CALL_TIMEOUTS });
  takeJobs(createCheckout(gateway, wakeups), createBackOffice(gateway));

  const webhooks = createServer(async (request, response) => {
    try {
      const { headers } = request;
      const event = verifyWebhook({ body: await buffer(request), headers, secret: webhookSecret });
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
