// One process of the shop. Takes jobs from the campaign, and webhooks over HTTP. May be killed at any
// moment: whatever has to outlive it is in the store or with the service.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Gateway, isGatewayError, verifyWebhook } from "malipo";
import { createBackOffice } from "./back-office.ts";
import { type Counter, createCounter } from "./counter.ts";
import type { JobMessage, Jobs, Setup, WorkerMessage } from "./messages.ts";
import type { Order } from "./plan.ts";
import { openStore } from "./store.ts";
import { LIMITS } from "./times.ts";

const tell = (message: WorkerMessage) => process.send?.(message);
const broken = (error: unknown) =>
  tell({
    kind: "broken",
    what: error instanceof Error ? (error.stack ?? error.message) : `${error}`,
  });

/** What does each job. */
type Desks = {
  readonly [Name in keyof Jobs]: (input: Jobs[Name]["input"]) => Promise<Jobs[Name]["output"]>;
};

function takeJobs(counter: Counter, office: ReturnType<typeof createBackOffice>): void {
  const desks: Desks = {
    pay: counter.pay,
    ask: counter.ask,
    settle: office.settle,
    reconcile: office.reconcile,
  };
  process.on("message", ({ id, job, input }: JobMessage) => {
    desks[job](input as Order & Order[] & string[]).then(
      (output) => tell({ kind: "done", id, output }),
      (error: unknown) => {
        // Reads fail for a while; anything else is a fault of somebody's.
        if (!isGatewayError(error)) broken(error);
        tell({ kind: "done", id });
      },
    );
  });
}

async function begin({ baseUrl, apiKey, webhookSecret, store: place }: Setup): Promise<void> {
  const { store, wakeups } = openStore(place);
  const gateway = new Gateway({ apiKey, baseUrl, idempotency: store, ...LIMITS });
  takeJobs(createCounter(gateway, wakeups), createBackOffice(gateway));

  const webhooks = createServer(async (request, response) => {
    try {
      const { headers } = request;
      const event = verifyWebhook({ body: await buffer(request), headers, secret: webhookSecret });
      const { reference } = event.data;
      if (typeof reference === "string") wakeups.notify(reference);
    } catch (error) {
      broken(error);
    }
    response.end(JSON.stringify({ ResultCode: 0, ResultDesc: "received" }));
  }).listen(0, "127.0.0.1");
  await once(webhooks, "listening");
  tell({ kind: "ready", port: (webhooks.address() as AddressInfo).port });
}

process.on("disconnect", () => process.exit());
const [setup] = await once(process, "message");
await begin(setup as Setup);
