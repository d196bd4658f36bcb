// One process of the shop. It takes jobs from the campaign, and webhooks over HTTP. It may be killed at
// any moment: everything that has to outlive it is in the store or in the service.
import { buffer } from "node:stream/consumers";
import { Gateway, isGatewayError, verifyWebhook } from "malipo";
import { DATABASES } from "../harness/databases.ts";
import { currentCall, receiveSetup, serve, takeJobs } from "../harness/worker.ts";
import { createBackOffice } from "./back-office.ts";
import { createCheckout } from "./checkout.ts";
import type { Jobs, Setup } from "./messages.ts";
import { CALL_TIMEOUTS } from "./time-limits.ts";
import { atRightTime, reach, record, startMachine, stepClock } from "./worker/clock.ts";
import { recordedStore, type TooEarly } from "./worker/recorded-store.ts";

const reportUnexpected = (error: unknown) =>
  record({
    what: "unexpected",
    error: error instanceof Error ? (error.stack ?? error.message) : `${error}`,
  });

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

const { baseUrl, apiKey, webhookSecret, place, machine } = await receiveSetup<Setup>();
startMachine(machine);
const stores = await DATABASES[place.engine].stores(place);
const wakeups = stores.wakeups();
const tooEarly: TooEarly = new Map();
const gateway = new Gateway({
  ...{
    apiKey,
    baseUrl,
    idempotency: recordedStore(stores.idempotency(), tooEarly),
    fetch: recordedFetch,
  },
  hooks: {
    request: ({ method, attempt }) => {
      if (method === "POST") reach(attempt === 1 ? "request" : "retry");
    },
  },
  ...CALL_TIMEOUTS,
});
const jobs: Jobs = {
  ...createCheckout(gateway, wakeups),
  ...createBackOffice(gateway, tooEarly),
  stepClock: async (offsetMs) => stepClock(offsetMs),
};
takeJobs(jobs, (error) => {
  // A read that fails is tried again. Any other error is a defect.
  if (!isGatewayError(error)) reportUnexpected(error);
});

await serve(async (request, response) => {
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
});
