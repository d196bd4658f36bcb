import type { EndpointName } from "../../src/contract/endpoints.ts";
import { ROWS } from "../support/endpoints.ts";
import type { Entry, Recorder } from "./sandbox-transports.ts";

export const PHONE = "0712345678";
export const INITIATE = "/mobile-money/payment/initiate";
export const HOOK = { name: "shop", url: "https://shop.test/hook", events: ["payment.completed"] };

/** `data` of a response. */
export const dataOf = ({ body = "{}" }: Entry) => JSON.parse(body).data ?? {};

/** Every endpoint with every kind of key, with a key without the scope, without a key, and with an unknown one. */
export async function everyEndpoint({ call, sandbox }: Recorder): Promise<void> {
  const { keys } = sandbox;
  const paid = dataOf(
    await call("POST", INITIATE, { key: keys.secret, body: { amount: 75, phone: PHONE } }),
  );
  sandbox.phone(PHONE).approve();
  // With characters, names and numbers beside those of the table.
  const bodies: Readonly<Partial<Record<EndpointName, unknown>>> = {
    "payments.initiate": { amount: 1, phone: "0722000001" },
    "mobileMoney.initiate": { amount: 2, phone: "0722000002", account_reference: "ORDER-17" },
    "mobileMoney.status": { checkout_request_id: paid.checkout_request_id },
    "mobileMoney.validatePhone": { phone: "+254 712-345-678" },
    "webhooks.register": HOOK,
    "webhooks.update": { name: "till" },
    "invoices.create": { title: "Mei €", amount: 250 },
    "invoices.update": { title: "June" },
    "invoices.send": {},
  };
  const ids = { reference: paid.reference, webhook: "", invoice: "" };
  for (const { name, method, route, body: bodyOf } of ROWS) {
    const body = bodies[name] ?? bodyOf?.(ids);
    const [resource = ""] = name.split(".");
    for (const kind of ["public", "secret", "sandbox"] as const) {
      // New ones for each call, so that a deletion finds something.
      const webhook = dataOf(
        await call("POST", "/webhooks/register", { key: keys.secret, body: HOOK }),
      );
      const invoice = dataOf(await call("POST", "/invoices", { key: keys.secret, body: {} }));
      const made: Record<string, string> = { webhooks: webhook.id, invoices: invoice.id };
      const at = route.replace(/\{\w+\}/, made[resource] ?? paid.reference);
      await call(method, at, {
        key: sandbox.createKey({ kind, scopes: [] }),
        body,
        note: "no scope",
      });
      await call(method, at, { key: keys[kind], body, note: kind });
    }
    const at = route.replace(/\{\w+\}/, "PAY-NONE");
    await call(method, at, { body, note: "no key" });
    await call(method, at, { key: "sk_stranger", body, note: "unknown key" });
    await call(method, at, { key: keys.secret, body, note: "unknown id" });
    await call(method, at, {
      headers: { authorization: `Bearer ${keys.secret}` },
      body,
    });
  }
}

/** Every kind of request that is rejected. */
export async function wrongCalls({ call, sandbox }: Recorder): Promise<void> {
  const { secret: key } = sandbox.keys;
  const bodies: unknown[] = [
    "{",
    "[]",
    "null",
    '"text"',
    "",
    " ",
    {},
    { amount: "1", phone: PHONE },
    { amount: 0.5, phone: PHONE },
    { amount: 1.005, phone: PHONE },
    { amount: 250_001, phone: PHONE },
    { amount: 1, phone: "0212345678" },
    { amount: 1, phone: PHONE, account_reference: "x".repeat(13) },
    { amount: 1, phone: PHONE, payment_account_id: 2 },
    `${"[".repeat(150)}${"]".repeat(150)}`,
    `{"a":${"[".repeat(120)}${"]".repeat(120)}}`,
  ];
  for (const body of bodies) await call("POST", INITIATE, { key, body });
  for (const body of [
    { ...HOOK, url: "http://shop.test" },
    { ...HOOK, events: ["no.such"] },
    { ...HOOK, name: "" },
  ]) {
    await call("POST", "/webhooks/register", { key, body });
  }
  for (const query of ["?page=0", "?page=2", "?per_page=3&page=2", "?per_page=101", "?page=x"]) {
    await call("GET", `/payments${query}`, { key });
  }
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    for (const path of [
      "",
      "/",
      "/nowhere",
      "/merchant/",
      "/payments/a/b",
      "/invoices/%ZZ",
      "/invoices/%2F",
      "/payments//",
    ]) {
      await call(method, path, { key });
    }
  }
  await call("HEAD", "/merchant", { key });
  await call("OPTIONS", INITIATE, {
    headers: {
      origin: "http://shop.localhost:5173",
      "access-control-request-headers": "x-api-key",
    },
  });
  await call("POST", INITIATE, { key, body: "x".repeat(1_048_577), note: "over 1 MiB" });
}
