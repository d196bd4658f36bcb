import { createSandbox, type FaultEffect, MAGIC_SUFFIXES, type Sandbox } from "malipo/sandbox";
import {
  dataOf,
  everyEndpoint,
  HOOK,
  INITIATE,
  PHONE,
  wrongCalls,
} from "./sandbox-script-calls.ts";
import { createRecorder, type Entry, type Recorder, type Transport } from "./sandbox-transports.ts";

/** Phones and the clock. */
async function phones({ call, look, sandbox }: Recorder): Promise<void> {
  const { secret: key } = sandbox.keys;
  const pay = async (phone: string) =>
    dataOf(await call("POST", INITIATE, { key, body: { amount: 60, phone } }));
  for (const suffix of Object.values(MAGIC_SUFFIXES)) {
    const { reference } = await pay(`0799000${suffix}`);
    await sandbox.clock.advance("3s");
    await call("GET", `/payments/${reference}`, { key });
  }
  const actions: ((sandbox: Sandbox) => void)[] = [
    (one) => one.phone(PHONE).approve(),
    (one) => one.phone(PHONE).cancel(),
    (one) => one.phone(PHONE).enterWrongPin(),
    (one) => one.phone(PHONE).ignore(),
    (one) => one.phone(PHONE).switchOff(),
    (one) => one.phone(PHONE).always("approve"),
    (one) => one.phone(PHONE).setBalance("50.00"),
  ];
  for (const act of actions) {
    const { reference } = await pay(PHONE);
    await pay(PHONE);
    look("the prompt", sandbox.phone(PHONE).prompt);
    act(sandbox);
    await call("GET", `/payments/${reference}`, { key });
    await sandbox.clock.advance("61s");
    await call("POST", "/mobile-money/payment/status", { key, body: { reference } });
    sandbox.phone(PHONE).switchOn();
  }
  sandbox.phone(PHONE).always("ask");
  look("the time", sandbox.clock.now().toISOString());
}

/** Deliveries to a receiver that rejects some of them, and their retries. */
async function deliveries({ call, look, sandbox }: Recorder): Promise<void> {
  const { secret: key } = sandbox.keys;
  const events = [
    "payment.initiated",
    "payment.completed",
    "payment.failed",
    "invoice.created",
    "invoice.paid",
    "invoice.overdue",
  ];
  await call("POST", "/webhooks/register", { key, body: { ...HOOK, events } });
  await call("POST", "/webhooks/register", {
    key,
    body: { ...HOOK, url: "https://shop.test/rejected", events },
  });
  const { number, id } = dataOf(await call("POST", "/invoices", { key, body: { amount: 5 } }));
  await call("POST", `/invoices/${id}/send`, { key, body: {} });
  await call("POST", INITIATE, {
    key,
    body: { amount: 5, phone: "0733000001", account_reference: number },
  });
  sandbox.phone("0733000001").approve();
  const late = dataOf(
    await call("POST", "/invoices", { key, body: { due_at: "2026-01-02T09:00:00+03:00" } }),
  );
  await call("POST", `/invoices/${late.id}/send`, { key, body: {} });
  await sandbox.clock.advance("2d");
  await call("GET", `/invoices/${late.id}`, { key });
  const [first] = sandbox.deliveries.all();
  await sandbox.deliveries.resend(first?.id ?? "");
  look("the deliveries", sandbox.deliveries.all());
}

const EFFECTS: readonly FaultEffect[] = [
  { kind: "status", status: 503, headers: { "Retry-After": "1" } },
  { kind: "status", status: 502, headers: { "content-type": "text/html" }, body: "<p>é</p>" },
  { kind: "status", status: 204 },
  { kind: "status", status: 304, body: "not seen" },
  { kind: "status", status: 418, body: { teapot: true } },
  { kind: "latency", ms: 1 },
  { kind: "reset" },
  { kind: "lostResponse" },
  { kind: "truncate" },
];

/** Every fault on demand, then chaos. */
async function faults({ call, look, sandbox }: Recorder): Promise<void> {
  const { secret: key } = sandbox.keys;
  const pay = (phone: string) =>
    call("POST", INITIATE, { key, body: { amount: 1, phone }, note: "with a fault" });
  for (const [index, effect] of EFFECTS.entries()) {
    sandbox.faults.add({ effect });
    await pay(`073400000${index}`);
    look("whether it was done", sandbox.phone(`073400000${index}`).prompt !== undefined);
  }
  sandbox.faults.add({ effect: { kind: "hang" } });
  const controller = new AbortController();
  const hanging = call("GET", "/merchant", {
    key,
    note: "with a fault",
    signal: controller.signal,
  });
  while ((sandbox.snapshot().faults as unknown[]).length > 0) await new Promise(setImmediate);
  controller.abort();
  await hanging;
  sandbox.chaos({
    seed: "parity",
    apiErrors: 0.3,
    lostResponses: 0.3,
    duplicate: 0.3,
    reorder: 0.3,
    drop: 0.3,
    badSignature: 0.3,
    delay: 0.3,
    staleTimestamp: 0.3,
    rotateSecret: 0.1,
  });
  for (let count = 0; count < 30; count++) {
    await call("POST", "/invoices", { key, body: { count }, note: "in chaos" });
  }
  sandbox.chaos({});
  await sandbox.clock.advance("1d");
  look("the deliveries", sandbox.deliveries.all());
}

/** How the receiver of all deliveries responds. */
const deliver = async ({ url }: Request) =>
  new Response(null, { status: url.endsWith("/rejected") ? 500 : 200 });

/** Runs the whole script through a transport. The transcript is the same for every transport. */
export async function recordTranscript(
  open: (sandbox: Sandbox) => Transport | Promise<Transport>,
): Promise<readonly Entry[]> {
  const sandbox = createSandbox({ seed: "parity", deliver });
  const transport = await open(sandbox);
  try {
    const record = createRecorder(sandbox, transport);
    for (const part of [everyEndpoint, wrongCalls, phones, deliveries, faults]) await part(record);
    record.look("the state", sandbox.snapshot());
    return record.transcript;
  } finally {
    await transport.close();
  }
}

/** In process. */
export const inProcess = ({ baseUrl, fetch }: Sandbox): Transport => ({
  baseUrl,
  fetch,
  close: () => {},
});

/** Over HTTP. */
export async function overHttp(sandbox: Sandbox): Promise<Transport> {
  const { baseUrl, close } = await sandbox.serve({ port: 0 });
  return { baseUrl, fetch: (url, init) => fetch(url, init), close };
}
