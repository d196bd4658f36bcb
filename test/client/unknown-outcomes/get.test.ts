import { ConnectionError, InvalidParamsError } from "malipo";
import { describe, expect, test } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { json, neverResponds, reset, status } from "../support/responses.ts";
import { ORDER } from "../support/shop.ts";

const idempotencyKey = "ORDER-42/1";
const endpoint = "POST /mobile-money/payment/initiate";
const paid = json({ success: true, data: { reference: "PAY-1", checkout_request_id: "ws_1" } });

describe("the state of a key", () => {
  test("is free before its first call, and nothing is sent to find out", async () => {
    const { gateway, sent } = gatewayWith([paid]);
    const free = { state: "free", idempotencyKey, endpoint };
    expect(await gateway.idempotency.get(idempotencyKey)).toEqual(free);
    expect(await gateway.idempotency.get(idempotencyKey)).toEqual(free);
    expect(sent).toHaveLength(0);
  });

  test("is free after a call that was rejected", async () => {
    const { gateway } = gatewayWith([status(422)]);
    await rejection(gateway.mobileMoney.initiate(ORDER, { idempotencyKey }));
    expect(await gateway.idempotency.get(idempotencyKey)).toMatchObject({ state: "free" });
  });

  test("is in flight during its call, as another gateway on the store sees it", async () => {
    const idempotency = memoryIdempotency();
    const { gateway } = gatewayWith([neverResponds], { idempotency });
    const abort = new AbortController();
    const call = gateway.mobileMoney.initiate(ORDER, { idempotencyKey, signal: abort.signal });
    const other = gatewayWith([], { idempotency }).gateway;
    await expect
      .poll(() => other.idempotency.get(idempotencyKey))
      .toMatchObject({
        state: "in_flight",
        idempotencyKey,
        endpoint,
        attempt: expect.stringMatching(/^[\da-f-]{36}$/),
        begunAt: expect.any(Date),
        notSentFrom: expect.any(Date),
        baseUrl: "https://gateway.test/api/v1",
        scope: "",
      });
    abort.abort();
    await call.catch(() => {});
  });

  test("is unknown after a reset, with the attempt that `resolve` takes", async () => {
    const { gateway } = gatewayWith([reset, paid]);
    await rejection(gateway.mobileMoney.initiate(ORDER, { idempotencyKey }));
    const key = await gateway.idempotency.get(idempotencyKey);
    if (key.state !== "unknown") throw new Error(key.state);
    await gateway.idempotency.resolve(idempotencyKey, "PAY-7", { attempt: key.attempt });
    expect(await gateway.idempotency.get(idempotencyKey)).toMatchObject({
      state: "succeeded",
      attempt: "",
      reference: "PAY-7",
      result: { reference: "PAY-7" },
    });
  });

  test("is succeeded with the reference and the result of its call", async () => {
    const { gateway, sent } = gatewayWith([paid]);
    const result = await gateway.mobileMoney.initiate(ORDER, { idempotencyKey });
    expect(await gateway.idempotency.get(idempotencyKey)).toMatchObject({
      state: "succeeded",
      reference: "PAY-1",
      result,
    });
    expect(sent).toHaveLength(1);
  });

  test("is that of one call: another call with the same key has another state", async () => {
    const { gateway } = gatewayWith([json({ success: true, data: { id: 7 } })]);
    await gateway.invoices.send("INV-7", {}, { idempotencyKey });
    const sendState = await gateway.idempotency.get(idempotencyKey, { endpoint: "invoices.send" });
    expect(sendState).toMatchObject({
      state: "succeeded",
      endpoint: "POST /invoices/{invoice}/send",
      reference: undefined,
      result: { id: 7 },
    });
    expect(await gateway.idempotency.get(idempotencyKey)).toMatchObject({ state: "free" });
  });
});

describe("nothing is read", () => {
  test.each(["", "x".repeat(256), 7])("under the key %j", async (key) => {
    const { gateway } = gatewayWith([]);
    const error = await rejection(gateway.idempotency.get(key as string));
    expect(error).toBeInstanceOf(InvalidParamsError);
  });

  test("for a call that creates nothing, or with a misspelt option", async () => {
    const { gateway } = gatewayWith([]);
    for (const options of [{ endpoint: "payments.get" as const }, { endPoint: "x" }]) {
      const error = await rejection(gateway.idempotency.get(idempotencyKey, options));
      expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
    }
  });

  test("if the store fails, with the reason as the cause", async () => {
    const cause = new Error("disk full");
    const idempotency = { ...memoryIdempotency(), read: () => Promise.reject(cause) };
    const { gateway } = gatewayWith([], { idempotency });
    const error = await rejection(gateway.idempotency.get(idempotencyKey));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "not_sent", cause });
  });
});
