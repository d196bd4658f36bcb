import { ConfigurationError, type GatewayError, PaymentPendingError } from "malipo";
import type { Sandbox } from "malipo/sandbox";
import { beforeEach, describe, expect, test } from "vitest";
import { rejection } from "../support/gateway.ts";
import { createShop, lookSoon, ORDER, PHONE } from "../support/shop.ts";

const KEY = { idempotencyKey: "ORDER-42/1" };

let sandbox: Sandbox;
let { shop, ledger } = createShop();
beforeEach(() => {
  ({ sandbox, shop, ledger } = createShop());
});

describe("a signal", () => {
  const reason = new Error("the customer left");

  test("that was aborted before prevents the prompt", async () => {
    const { gateway, prompts } = shop();
    for (const options of [{}, KEY]) {
      const signal = AbortSignal.abort(reason);
      await expect(gateway.mobileMoney.collect(ORDER, { ...options, signal })).rejects.toBe(reason);
    }
    expect(prompts()).toBe(0);
  });

  test("ends the start, and ends the wait", async () => {
    const { gateway, reads } = shop();
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "hang" } });
    const start = new AbortController();
    const starting = gateway.mobileMoney.collect(ORDER, { signal: start.signal });
    setTimeout(() => start.abort(reason), 20);
    await expect(starting).rejects.toBe(reason);
    expect(reads()).toBe(0);

    const wait = new AbortController();
    const { signal } = wait;
    const onUpdate = () => wait.abort(reason);
    await expect(gateway.mobileMoney.collect(ORDER, { signal, onUpdate })).rejects.toBe(reason);
    expect(await ledger()).toHaveLength(1);
  });
});

describe("an error", () => {
  test("of the start is thrown as initiate throws it", async () => {
    const { gateway, reads } = shop({ apiKey: sandbox.keys.public });
    await expect(gateway.mobileMoney.collect(ORDER)).rejects.toMatchObject({ code: "key_type" });
    const secret = shop().gateway.mobileMoney;
    await expect(secret.collect({ amount: -1, phone: PHONE })).rejects.toMatchObject({
      code: "invalid_params",
      outcome: "not_sent",
    });
    await expect(secret.collect({ amount: 1e9, phone: PHONE })).rejects.toMatchObject({
      code: "invalid_request",
      outcome: "rejected",
    });
    expect(reads()).toBe(0);
    expect(await ledger()).toEqual([]);
  });

  test("of a read never looks as if the prompt was rejected", async () => {
    const apiKey = sandbox.createKey({ kind: "secret", scopes: ["payments.create"] });
    const error = await rejection(shop({ apiKey }).gateway.mobileMoney.collect(ORDER));
    expect(error).toBeInstanceOf(PaymentPendingError);
    const [payment] = await ledger();
    expect(error).toMatchObject({
      outcome: "unknown",
      reference: payment?.reference,
      message: expect.stringMatching(/do not start it again.*payments\.read/),
      cause: { code: "permission", status: 403 },
    });
  });

  test("of a key that is revoked during the wait holds the payment as it was last read", async () => {
    const { gateway } = shop();
    const effect = { kind: "status", status: 401 } as const;
    sandbox.faults.add({ match: { method: "GET" }, after: 1, effect });
    const collecting = gateway.mobileMoney.collect(ORDER, { wake: lookSoon });
    const error = (await rejection(collecting)) as PaymentPendingError;
    expect(error.payment).toMatchObject({ status: "pending" });
    expect((error.cause as GatewayError).code).toBe("authentication");
  });
});

// biome-ignore format: a table is read across
test.each([
  { waitMs: -1 }, { waitMs: Number.NaN }, { waitMs: 0 }, { timeoutMs: 0 }, { totalTimeoutMs: 5_000 },
  { maxRetries: 1 }, { idempotenceKey: "1" }, { wake: 5 }, { onUpdate: 5 }, { finalStatuses: 5 },
])("options are checked before the prompt: %j", async (options) => {
  const { gateway, prompts } = shop();
  const collecting = gateway.mobileMoney.collect(ORDER, options as never);
  await expect(collecting).rejects.toBeInstanceOf(ConfigurationError);
  expect(prompts()).toBe(0);
});
