import { InvalidParamsError } from "malipo";
import { afterEach, describe, expect, test } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { IDS, ROWS } from "../../support/endpoints.ts";
import { gatewayOn, rejection } from "../support/gateway.ts";

// A backend passes on what a page has sent: `JSON.parse` makes an own field of the name `__proto__`, and
// a careless merge elsewhere in the process adds fields to `Object.prototype`.

const idempotencyKey = "ORDER-42/1";
const PROTO =
  '"__proto__":{"account_reference":"EVIL","idempotencyKey":"EVIL","query":{"a":"EVIL"}}';
const order = { amount: 100, phone: "0712345678" };
const withProto = (value: object) => JSON.parse(`{${PROTO},${JSON.stringify(value).slice(1)}`);

/** A gateway that keeps what it sent. */
function recording(idempotency = memoryIdempotency()) {
  const sent: string[] = [];
  const gateway = gatewayOn(
    async (url, { body }) => {
      sent.push(`${url} ${body ?? ""}`);
      const data = { reference: "PAY-1", id: 1, status: "completed" };
      return Response.json({ success: true, data });
    },
    { idempotency },
  );
  return { gateway, sent, idempotency };
}

// Not `body`: the Request of the runtime itself takes it for its own, and makes no GET any more.
const POLLUTION = [
  "account_reference",
  "description",
  "payment_account_id",
  "query",
  "events",
  "name",
  "check",
  "atMostMs",
];
const pollute = () => {
  for (const name of POLLUTION) Object.assign(Object.prototype, { [name]: "EVIL" });
};
afterEach(() => {
  for (const name of POLLUTION) delete (Object.prototype as Record<string, unknown>)[name];
});

describe("an own field of the name __proto__ is rejected, and nothing is sent", () => {
  test("in the parameters of a prompt", async () => {
    const { gateway, sent } = recording();
    for (const call of [
      () => gateway.mobileMoney.initiate(withProto(order)),
      () => gateway.mobileMoney.initiate(withProto(order), { idempotencyKey }),
      () => gateway.mobileMoney.collect(withProto(order), { idempotencyKey, waitMs: 50 }),
      () => gateway.payments.initiate(withProto(order)),
      () => gateway.invoices.create(withProto({ total: 1 })),
      () => gateway.webhooks.register(withProto({ name: "a", url: "https://shop.example/" })),
      () => gateway.webhooks.update(7, withProto({ name: "a" })),
      () => gateway.request(withProto({ method: "POST", path: "/x" })),
      () => gateway.request({ method: "POST", path: "/x", body: withProto(order) }),
    ]) {
      const error = await rejection(call());
      expect(error).toBeInstanceOf(InvalidParamsError);
      expect(error).toMatchObject({ issues: [{ path: ["__proto__"] }], outcome: "not_sent" });
    }
    expect(sent).toEqual([]);
  });

  test("in the options of a call", async () => {
    const { gateway, sent } = recording();
    for (const call of [
      () => gateway.mobileMoney.initiate(order, withProto({ maxRetries: 1 })),
      () => gateway.mobileMoney.collect(order, withProto({ waitMs: 50 })),
      () => gateway.payments.get("PAY-1", withProto({ maxRetries: 1 })),
      () => gateway.payments.waitFor("PAY-1", withProto({ waitMs: 50 })),
      () => gateway.idempotency.get("a", withProto({ endpoint: "invoices.send" })),
    ]) {
      expect(await rejection(call())).toMatchObject({ code: "configuration", outcome: "not_sent" });
    }
    expect(sent).toEqual([]);
  });
});

describe("a field of Object.prototype is never sent", () => {
  test.each(ROWS.map((row) => [row.name, row] as const))("by %s", async (_, row) => {
    const { gateway, sent } = recording();
    await row.call(gateway, IDS).catch(() => {});
    const clean = [...sent];
    pollute();
    await row.call(gateway, IDS).catch(() => {});
    expect(clean.length).toBeGreaterThan(0);
    expect(sent.slice(clean.length)).toEqual(clean);
    expect(sent.join()).not.toContain("EVIL");
  });

  test("by gateway.request", async () => {
    const { gateway, sent } = recording();
    pollute();
    await gateway.request({ method: "POST", path: "/x" });
    expect(sent).toEqual(["https://gateway.test/api/v1/x "]);
  });

  test("and is not stored with the idempotency key", async () => {
    const { gateway, sent, idempotency } = recording();
    pollute();
    await gateway.mobileMoney.initiate(order, { idempotencyKey });
    await gateway.mobileMoney.collect(order, { idempotencyKey: "ORDER-42/2", waitMs: 50 });
    const { attempts } = await idempotency.list();
    expect(attempts.map(({ digests }) => digests.accountReference)).toEqual([undefined, undefined]);
    expect(sent.join()).not.toContain("EVIL");
  });
});
