import { createSandbox, type FaultEffect, MAGIC_SUFFIXES, type Sandbox } from "malipo/sandbox";
import { dataOf, everyRow, HOOK, INITIATE, PHONE, wrongCalls } from "./sandbox-script-calls.ts";
import { type Entry, type Recorder, recorder, type Skin } from "./sandbox-skins.ts";

/** A customer's phones, and time. */
async function phones({ call, look, sandbox }: Recorder): Promise<void> {
  const { secret: key } = sandbox.keys;
  const pay = async (phone: string) =>
    dataOf(await call("POST", INITIATE, { key, body: { amount: 60, phone } }));
  for (const suffix of Object.values(MAGIC_SUFFIXES)) {
    const { reference } = await pay(`0799000${suffix}`);
    await sandbox.clock.advance("3s");
    await call("GET", `/payments/${reference}`, { key });
  }
  const acts: ((sandbox: Sandbox) => void)[] = [
    (one) => one.phone(PHONE).approve(),
    (one) => one.phone(PHONE).cancel(),
    (one) => one.phone(PHONE).enterWrongPin(),
    (one) => one.phone(PHONE).ignore(),
    (one) => one.phone(PHONE).switchOff(),
    (one) => one.phone(PHONE).always("approve"),
    (one) => one.phone(PHONE).setBalance("50.00"),
  ];
  for (const act of acts) {
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

/** Deliveries to a receiver that refuses some, and their retries. */
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
    body: { ...HOOK, url: "https://shop.test/refused", events },
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
    call("POST", INITIATE, { key, body: { amount: 1, phone }, note: "at fault" });
  for (const [index, effect] of EFFECTS.entries()) {
    sandbox.faults.add({ effect });
    await pay(`073400000${index}`);
    look("whether it was done", sandbox.phone(`073400000${index}`).prompt !== undefined);
  }
  sandbox.faults.add({ effect: { kind: "hang" } });
  const controller = new AbortController();
  const hanging = call("GET", "/merchant", { key, note: "at fault", signal: controller.signal });
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

/** What the receiver of all deliveries answers. */
const deliver = async ({ url }: Request) =>
  new Response(null, { status: url.endsWith("/refused") ? 500 : 200 });

/** The whole script through a skin: the same transcript through each. */
export async function transcriptThrough(
  open: (sandbox: Sandbox) => Skin | Promise<Skin>,
): Promise<readonly Entry[]> {
  const sandbox = createSandbox({ seed: "parity", deliver });
  const skin = await open(sandbox);
  try {
    const record = recorder(sandbox, skin);
    for (const part of [everyRow, wrongCalls, phones, deliveries, faults]) await part(record);
    record.look("the world", sandbox.snapshot());
    return record.transcript;
  } finally {
    await skin.close();
  }
}

/** In process. */
export const directly = ({ baseUrl, fetch }: Sandbox): Skin => ({
  baseUrl,
  fetch,
  close: () => {},
});

/** On a socket. */
export async function overHttp(sandbox: Sandbox): Promise<Skin> {
  const { baseUrl, close } = await sandbox.serve({ port: 0 });
  return { baseUrl, fetch: (url, init) => fetch(url, init), close };
}
