import { type Dialect, nextCursor } from "../../support/dialects/index.ts";
import type { CallOptions, Heard, Peer } from "./peer.ts";
import { type Entry, entryOf, fieldIn, idIn, namesOf, type Script, shapeOf } from "./transcript.ts";

const KINDS = [
  ...["payment.initiated", "payment.completed", "payment.failed"],
  ...["invoice.created", "invoice.paid", "invoice.overdue"],
];

const HOOK = { name: "shop", url: "https://shop.example/hooks", events: KINDS };
const OUTCOMES = ["approve", "cancel", "wrongPin", "expire"] as const;

const LISTS = ["/merchant/payment-accounts", "/payments", "/webhooks", "/invoices"];

/** Every endpoint that wants a secret key. `x` stands for an id that exists nowhere. */
const WRITES = [
  ["POST", "/payments/initiate"],
  ["POST", "/mobile-money/payment/initiate"],
  ["POST", "/mobile-money/payment/status"],
  ["POST", "/webhooks/register"],
  ["PUT", "/webhooks/x"],
  ["DELETE", "/webhooks/x"],
  ["POST", "/invoices"],
  ["PUT", "/invoices/x"],
  ["DELETE", "/invoices/x"],
  ["POST", "/invoices/x/send"],
] as const;

const READS = ["/merchant", ...LISTS] as const;

type Call = (method: string, path: string, options?: CallOptions) => Promise<Heard>;

async function rejections(call: Call): Promise<void> {
  for (const key of ["none", "unknown", "scopeless"] as const) {
    for (const path of READS) await call("GET", path, { key });
    for (const [method, path] of WRITES) {
      // A service without scopes would do what is asked.
      if (key !== "scopeless") await call(method, path, { key, body: {} });
    }
  }
  for (const [method, path] of WRITES.slice(4, 6)) await call(method, path, { key: "public" });
  for (const path of READS) await call("GET", path, { key: "public" });
  for (const path of ["/nothing", "/payments/x/y", "/v2"]) await call("GET", path);
  for (const [method, path] of [
    ["DELETE", "/merchant"],
    ["PUT", "/payments"],
    ["POST", "/merchant"],
    ["DELETE", "/payments"],
  ] as const) {
    await call(method, path);
  }
  for (const path of ["/payments/none", "/invoices/none"]) await call("GET", path);
  await call("PUT", "/webhooks/none", { body: { name: "other" } });
  await call("DELETE", "/webhooks/none");
  await call("PUT", "/invoices/none", { body: { amount: 5 } });
  await call("DELETE", "/invoices/none");
  await call("POST", "/invoices/none/send", { body: {} });
  await call("POST", "/mobile-money/payment/status", { body: { reference: "none" } });
}

async function invalidFields(call: Call): Promise<void> {
  const initiate = "/mobile-money/payment/initiate";
  const phone = "0712000001";
  for (const amount of [-1, 0, "ten", 1.234, 999_999_999, null]) {
    await call("POST", initiate, { body: { amount, phone } });
    await call("POST", "/payments/initiate", { body: { amount, phone } });
  }
  for (const wrong of ["", "12", "not a phone", 5, null]) {
    await call("POST", initiate, { body: { amount: 5, phone: wrong } });
  }
  await call("POST", initiate, { body: { amount: 5, phone, account_reference: "thirteen chars" } });
  await call("POST", initiate, { body: { amount: 5, phone, payment_account_id: "none" } });
  await call("POST", "/mobile-money/validate-phone", { body: {} });
  await call("POST", "/mobile-money/validate-phone", { body: { phone: 5 } });
  await call("POST", "/mobile-money/payment/status", { body: {} });
  for (const change of [
    { events: ["no.such.kind"] },
    { events: [] },
    { url: "no" },
    { name: "" },
  ]) {
    await call("POST", "/webhooks/register", { body: { ...HOOK, ...change } });
  }
  await call("POST", "/webhooks/register", { body: {} });
  await call("POST", "/invoices", { body: { amount: -5, description: "Goods" } });
  await call("POST", "/invoices", { body: { amount: "much" } });
  for (const body of ["{", "[]", '"text"']) await call("POST", "/invoices", { body });
}

async function phones(call: Call): Promise<void> {
  const path = "/mobile-money/validate-phone";
  for (const phone of ["0712345678", "254712345678", "0110345678", "+254 712 345 678"]) {
    await call("POST", path, { body: { phone } });
    await call("POST", path, { body: { phone }, key: "public" });
  }
  for (const phone of ["0812345678", "25571234567"]) await call("POST", path, { body: { phone } });
  for (const phone of ["12", "phone"]) await call("POST", path, { body: { phone } });
}

async function invoices(call: Call, peer: Peer, dialect: Dialect): Promise<void> {
  const ids: string[] = [];
  for (let n = 1; n <= 12; n++) {
    const { text } = await call("POST", "/invoices", {
      body: { amount: n * 10.5, description: `Goods ${n}` },
    });
    ids.push(idIn(text, dialect, "invoice"));
  }
  await peer.settled();
  for (const id of ids) await call("GET", `/invoices/${id}`);
  for (const id of ids.slice(0, 4)) {
    await call("PUT", `/invoices/${id}`, { body: { amount: 77, description: "Changed" } });
    await call("GET", `/invoices/${id}`, { key: "secret" });
  }
  for (const id of ids.slice(2, 6)) {
    await call("POST", `/invoices/${id}/send`, { body: {} });
    await call("GET", `/invoices/${id}`, { key: "public" });
  }
  for (const id of ids.slice(8, 11)) {
    await call("DELETE", `/invoices/${id}`);
    await call("GET", `/invoices/${id}`);
    await call("DELETE", `/invoices/${id}`);
  }
}

async function webhooks(call: Call, dialect: Dialect): Promise<void> {
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) {
    const url = `https://${name}.example/hooks`;
    const body = { name, url, events: ["subscription.created"] };
    const { text } = await call("POST", "/webhooks/register", { body });
    ids.push(idIn(text, dialect, "webhook"));
  }
  for (const id of ids) {
    await call("PUT", `/webhooks/${id}`, { body: { name: "renamed" } });
    await call("PUT", `/webhooks/${id}`, { body: { events: ["subscription.canceled"] } });
  }
  await call("GET", "/webhooks");
  for (const id of ids) await call("DELETE", `/webhooks/${id}`);
  await call("DELETE", `/webhooks/${ids[0]}`);
}

async function payments(call: Call, peer: Peer): Promise<void> {
  for (const [index, outcome] of [...OUTCOMES, ...OUTCOMES].entries()) {
    const phone = `25471200010${index}`;
    const row = index % 2 === 0 ? "/mobile-money/payment/initiate" : "/payments/initiate";
    const body = { amount: 10 + index, phone, account_reference: `ORDER-${index}` };
    const { text } = await call("POST", row, { body });
    const reference = fieldIn(text, "reference");
    const checkout = fieldIn(text, "checkout_request_id");
    await call("GET", `/payments/${reference}`);
    await call("POST", "/mobile-money/payment/status", { body: { reference } });
    await peer.answer(phone, outcome);
    await call("GET", `/payments/${reference}`);
    await call("GET", `/payments/${reference}`, { key: "public" });
    const byCheckout = { checkout_request_id: checkout };
    await call("POST", "/mobile-money/payment/status", { body: byCheckout });
  }
  // A second prompt while one is open.
  for (const amount of [20, 30]) {
    const body = { amount, phone: "254712000200", account_reference: "TWICE" };
    const { text } = await call("POST", "/mobile-money/payment/initiate", { body });
    await call("GET", `/payments/${fieldIn(text, "reference")}`);
  }
  await peer.answer("254712000200", "approve");
}

const SIZES = [1, 2, 5];
const PAGES = 3;

async function lists(call: Call, { paging }: Dialect): Promise<void> {
  for (const path of LISTS) {
    for (const size of paging.kind === "none" ? [] : SIZES) {
      const first = `${path}?${"size" in paging ? paging.size : ""}=${size}`;
      let query =
        paging.kind === "cursor" || paging.kind === "none" ? "" : startOf(paging, size, 0);
      for (let page = 1; page <= PAGES; page++) {
        const { text } = await call("GET", first + query);
        if (paging.kind !== "cursor") query = startOf(paging, size, page);
        else query = `&${paging.at}=${nextCursor(paging, JSON.parse(text)) ?? "none"}`;
      }
    }
    // Names that no service has.
    await call("GET", `${path}?no_such_parameter=1`);
  }
}

/** The query of a page, from 0. */
function startOf(paging: Dialect["paging"], size: number, page: number): string {
  if (paging.kind === "none") return "";
  const at = { page: page + 1, zero: page, offset: page * size, cursor: "" }[paging.kind];
  return `&${paging.at}=${at}`;
}

/** One step for each kind of event: what its deliveries have in common, whatever their number. */
function logDeliveries(peer: Peer, log: (entry: Entry) => void): void {
  const byKind = new Map<string, Entry>();
  for (const { headers, body, status } of peer.deliveries) {
    const { event } = JSON.parse(body) as { event: string };
    const before = byKind.get(event);
    const merge = (one: readonly string[], other: readonly string[] = []) =>
      [...new Set([...one, ...other])].sort();
    byKind.set(event, {
      line: `delivery of ${event}`,
      status,
      headers: merge(namesOf(headers), before?.headers),
      shape: merge(shapeOf(body), before?.shape),
    });
  }
  for (const kind of [...byKind.keys()].sort()) log(byKind.get(kind) as Entry);
}

/** The waits between the attempts of a delivery that is never acknowledged. */
async function retries(peer: Peer, call: Call, log: (entry: Entry) => void): Promise<void> {
  peer.receiverStatus = 503;
  const from = peer.deliveries.length;
  await call("POST", "/invoices", { body: { amount: 5, description: "Retried" } });
  await peer.advance(12 * 3_600_000);
  await peer.settled();
  const times = peer.deliveries.slice(from).map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => String(at - (times[index] ?? 0)));
  log({ line: "retries", status: 503, headers: [], shape: gaps });
}

/** A step without the ids that only one peer has. */
function lineOf(method: string, path: string, options: CallOptions = {}): string {
  const plain = path
    .replace(/(&\w+)=(?!\d+$).*/, "$1")
    .replace(/^\/(\w+)\/(?!none|x\b|initiate|register|payment)[^/?]+/, "/$1/{id}");
  const sent = JSON.stringify(options).replace(
    /("(?:reference|checkout_request_id)"):"[^"]*"/,
    "$1",
  );
  return `${method} ${plain} ${sent}`;
}

/** Everything that a merchant does, in a few hundred steps, with the names of a dialect. */
export function scriptFor(
  dialect: Dialect,
  { payments: hasPayments }: { readonly payments: boolean },
): Script {
  return async (peer, log) => {
    const call: Call = async (method, path, callOptions) => {
      const heard = await peer.call(method, path, callOptions);
      log(entryOf(lineOf(method, path, callOptions), heard));
      return heard;
    };
    await rejections(call);
    await invalidFields(call);
    await phones(call);
    await call("POST", "/webhooks/register", { body: HOOK });
    await invoices(call, peer, dialect);
    await webhooks(call, dialect);
    if (hasPayments) await payments(call, peer);
    await lists(call, dialect);
    await peer.settled();
    if (!hasPayments) return;
    logDeliveries(peer, log);
    // A service that never retries looks like one that was not seen to retry.
    if (dialect.delivery.retriesMs.length > 0) await retries(peer, call, log);
  };
}
