import { createWakeups } from "malipo";
import type { NewDelivery } from "malipo/types";
import {
  ConfigurationError,
  createWebhookReceiver,
  type Inbox,
  signWebhook,
  type WebhookReceiverOptions,
} from "malipo/webhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../../src/webhooks/inbox/memory/inbox.ts";
import { sqliteInbox } from "../../../support/stores/sqlite-inbox.ts";
import { gate } from "../../support/deliver.ts";

const secretOf = (merchant: string) => `whsec_${merchant}_0QkY2v1s7mZ8`;
const onError = vi.fn();
beforeEach(() => void onError.mockReset());
afterEach(() => void vi.restoreAllMocks());

const bodyOf = (reference = "PAY-71", more: object = {}) =>
  JSON.stringify({ event: "payment.completed", data: { reference, ...more } });

/** A receiver whose merchants are the last part of the path, and what its inbox stored. */
function platform(options: Partial<WebhookReceiverOptions> = {}) {
  const stored: NewDelivery[] = [];
  const memory = memoryInbox();
  const inbox: Inbox = {
    ...memory,
    accept: (delivery) => {
      stored.push(delivery);
      return memory.accept(delivery);
    },
  };
  const secret = vi.fn(async (merchant: string): Promise<string | undefined> => secretOf(merchant));
  const receiver = createWebhookReceiver({
    merchant: ({ url }) => url.pathname.split("/")[2],
    secret,
    inbox,
    onError,
    ...options,
  });
  const deliver = (merchant: string, body = bodyOf(), key = secretOf(merchant)) =>
    receiver.handle({
      method: "POST",
      url: `/webhooks/${merchant}?a=1`,
      headers: { "X-Service-Signature": signWebhook(body, key) },
      body,
    });
  return { receiver, secret, stored, deliver };
}

describe("a receiver for many merchants", () => {
  test("verifies each delivery with the secret of its merchant", async () => {
    const { deliver } = platform();
    expect((await deliver("shop-1")).status).toBe(200);
    expect((await deliver("shop-2", bodyOf(), secretOf("shop-1"))).status).toBe(401);
    expect((await deliver("shop-2")).status).toBe(200);
  });

  test("processes the events of two merchants that have one reference, each with its merchant", async () => {
    const { receiver, deliver } = platform();
    const handled: (string | undefined)[][] = [];
    receiver.on("payment.completed", (_, { merchant, idempotencyKey }) => {
      handled.push([merchant, idempotencyKey]);
    });
    await receiver.start();
    for (const merchant of ["shop-1", "shop-2", "shop-1"]) await deliver(merchant);
    await expect.poll(() => handled.map(([merchant]) => merchant)).toEqual(["shop-1", "shop-2"]);
    expect(handled[0]?.[1]).not.toBe(handled[1]?.[1]);
    await receiver.stop();
    expect(handled).toHaveLength(2);
    expect(onError).not.toHaveBeenCalled();
  });

  test("wakes the waits of the merchant of an event", async () => {
    const wakeups = createWakeups();
    const { deliver } = platform({ wakeups });
    const looks = ["shop-1", "shop-2"].map((merchant) => {
      const look = vi.fn();
      wakeups.wakeOf(merchant)("PAY-71", look);
      return look;
    });
    await deliver("shop-1");
    expect(looks.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  });

  test("keeps the merchant of an event that a file stores and a person requeues", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const inbox = sqliteInbox(":memory:");
    const { receiver, deliver } = platform({ inbox });
    const merchants: (string | undefined)[] = [];
    receiver.on("payment.completed", (_, { merchant }) => {
      merchants.push(merchant);
      if (merchants.length <= 12) throw new Error("closed");
    });
    await receiver.start();
    await deliver("shop-1");
    await expect.poll(async () => (await receiver.deadLetters.list()).length).toBe(1);
    const [letter] = await receiver.deadLetters.list();
    await receiver.deadLetters.requeue(letter?.id ?? "");
    await expect.poll(() => merchants).toEqual(Array(13).fill("shop-1"));
    await receiver.stop();
    inbox.close();
  });

  test("looks a secret up once for many deliveries, and once for those at the same time", async () => {
    const { secret, deliver } = platform();
    const first = await Promise.all([1, 2, 3].map((one) => deliver("shop-1", bodyOf(`P-${one}`))));
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200]);
    await deliver("shop-1", bodyOf("P-4"));
    await deliver("shop-2");
    expect(secret.mock.calls).toEqual([["shop-1"], ["shop-2"]]);
  });

  test("takes a list, and stores which of the secrets signed", async () => {
    const { stored, deliver } = platform({ secret: () => ["new", "old"] });
    await deliver("shop-1", bodyOf("P-1"), "old");
    await deliver("shop-1", bodyOf("P-2"), "new");
    expect(stored.map(({ secretIndex }) => secretIndex)).toEqual([1, 0]);
  });

  test("rejects an unknown merchant as it rejects a wrong signature", async () => {
    const { deliver } = platform({
      merchant: ({ url }) => url.pathname.split("/")[2],
      secret: (merchant) => (merchant === "shop-1" ? secretOf(merchant) : null),
    });
    const wrong = await deliver("shop-1", bodyOf(), "another");
    expect(wrong.status).toBe(401);
    expect(await deliver("shop-9")).toEqual(wrong);
    expect(await deliver("")).toEqual(wrong);
    expect(onError.mock.calls.map(([error]) => error.code)).toEqual(
      Array(3).fill("signature_mismatch"),
    );
  });

  test.each<[string, Partial<WebhookReceiverOptions>]>([
    [
      "secret throws",
      {
        secret: () => {
          throw new Error("down");
        },
      },
    ],
    ["secret rejects", { secret: () => Promise.reject(new Error("down")) }],
    ["secret returns an empty secret", { secret: () => "" }],
    ["secret returns what an unset variable turns into", { secret: () => "undefined" }],
    [
      "merchant throws",
      {
        merchant: () => {
          throw new Error("down");
        },
      },
    ],
    ["merchant returns no text", { merchant: () => 7 as never }],
  ])("returns 503 and reports the failure: %s", async (_, options) => {
    const { stored, deliver } = platform(options);
    const { status, headers } = await deliver("shop-1");
    expect([status, headers["retry-after"]]).toEqual([503, "10"]);
    expect(onError).toHaveBeenCalledTimes(1);
    expect(stored).toEqual([]);
  });

  test("returns 503 if a lookup takes longer than 5 s, and looks up again later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const { secret, deliver } = platform();
      secret.mockImplementationOnce(() => new Promise(() => {}));
      const slow = deliver("shop-1");
      await vi.advanceTimersByTimeAsync(5_000);
      expect((await slow).status).toBe(503);
      expect(onError.mock.calls[0]?.[0].message).toMatch(
        /lookup of a secret took longer than 5000 ms/,
      );
      expect((await deliver("shop-1")).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the cache of secrets", () => {
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  beforeEach(() => {
    now = 1_000_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
  });

  test("picks a rotated secret up, and does not look up for every forged request", async () => {
    const { secret, deliver } = platform();
    await deliver("shop-1", bodyOf("P-1"));
    secret.mockImplementation(async () => "rotated");
    pass(10_000);
    expect((await deliver("shop-1", bodyOf("P-2"), "rotated")).status).toBe(200);
    expect((await deliver("shop-1", bodyOf("P-3"), "rotated")).status).toBe(200);
    expect(secret).toHaveBeenCalledTimes(2);
    pass(10_000);
    for (let at = 0; at < 20; at++) {
      expect((await deliver("shop-1", bodyOf(), "forged")).status).toBe(401);
    }
    expect(secret).toHaveBeenCalledTimes(3);
  });

  test("shares the lookup of a rotated secret between deliveries at the same time", async () => {
    const { secret, deliver } = platform();
    await deliver("shop-1", bodyOf("P-1"));
    const looked = gate<string>();
    secret.mockImplementation(() => looked.opened);
    pass(10_000);
    const both = [2, 3].map((one) => deliver("shop-1", bodyOf(`P-${one}`), "rotated"));
    looked.open("rotated");
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    expect(secret).toHaveBeenCalledTimes(2);
  });

  test("does not ask a store that fails again for every forged request", async () => {
    const { secret, deliver } = platform();
    await deliver("shop-1");
    secret.mockRejectedValue(new Error("down"));
    pass(10_000);
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++) {
      statuses.push((await deliver("shop-1", bodyOf(), "forged")).status);
    }
    expect(statuses).toEqual([503, 401, 401, 401, 401]);
    expect((await deliver("shop-1")).status).toBe(200);
    expect(secret).toHaveBeenCalledTimes(2);
  });

  test("remembers an unknown merchant for ten seconds", async () => {
    const { secret, deliver } = platform();
    secret.mockResolvedValueOnce(undefined);
    expect((await deliver("shop-1")).status).toBe(401);
    pass(9_999);
    expect((await deliver("shop-1")).status).toBe(401);
    expect(secret).toHaveBeenCalledTimes(1);
    pass(1);
    expect((await deliver("shop-1")).status).toBe(200);
  });

  test("looks a secret up again after secretCacheMs", async () => {
    const { secret, deliver } = platform({ secretCacheMs: 1_000 });
    await deliver("shop-1");
    pass(999);
    await deliver("shop-1");
    expect(secret).toHaveBeenCalledTimes(1);
    pass(1);
    secret.mockResolvedValueOnce("another");
    expect((await deliver("shop-1")).status).toBe(401);
    expect(secret).toHaveBeenCalledTimes(2);
  });

  test("is bounded: forged merchants push no real one out", async () => {
    const { secret, deliver } = platform();
    secret.mockImplementation(async (merchant) =>
      merchant.startsWith("shop") ? secretOf(merchant) : undefined,
    );
    await deliver("shop-1");
    for (let at = 0; at < 1_001; at++) {
      pass(100);
      await deliver(`forged-${at}`);
    }
    secret.mockClear();
    await deliver("shop-1");
    await deliver("forged-1000");
    await deliver("forged-0");
    expect(secret.mock.calls).toEqual([["forged-0"]]);
  });
});

describe("lookups of secrets", () => {
  test("are 100 at the same time at most: the others are rejected with 503", async () => {
    const looked = gate<string>();
    const { secret, deliver } = platform({ secret: () => looked.opened });
    const posts = Array.from({ length: 150 }, (_, at) => deliver(`shop-${at}`));
    await new Promise(setImmediate);
    looked.open("another");
    const statuses = (await Promise.all(posts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    expect(statuses.filter((status) => status === 503)).toHaveLength(50);
    expect(secret).not.toHaveBeenCalled();
  });

  test("of unknown names have a rate, which no known merchant has", async () => {
    let now = 1_000_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const { secret, deliver } = platform({ secretCacheMs: 1_000 });
    secret.mockImplementation(async (merchant) =>
      merchant.startsWith("shop") ? secretOf(merchant) : undefined,
    );
    expect((await deliver("shop-1", bodyOf("P-1"))).status).toBe(200);
    for (let at = 0; at < 600; at++) {
      expect((await deliver(`forged-${at}`)).status).toBe(401);
    }
    secret.mockClear();
    for (let at = 600; at < 1_000; at++) {
      expect((await deliver(`forged-${at}`)).status).toBe(503);
    }
    expect(secret).not.toHaveBeenCalled();
    now += 1_000;
    expect((await deliver("shop-1", bodyOf("P-2"))).status).toBe(200);
    expect((await deliver("shop-2", bodyOf("P-3"))).status).toBe(200);
  });
});

describe("the options for many merchants", () => {
  const idempotency = { resolveByPayment: async () => true };
  const secret = () => "whsec_1";
  const merchant = () => "shop-1";

  test.each<[object, RegExp]>([
    [{ secret }, /`secret` is a function, `merchant` must be set/],
    [{ secret: "whsec_1", merchant }, /With `merchant`, `secret` must be a function/],
    [{ secret, merchant: "shop" }, /`merchant` must be a function; got a string/],
    [{ secret, merchant, secretCacheMs: -1 }, /`secretCacheMs` must be .*; got -1/],
    [{ secret, merchant, attempts: idempotency }, /`attempts` must be a function; got an object/],
    [{ secret: "whsec_1", attempts: () => idempotency }, /`attempts` must be the `idempotency`/],
  ])("rejects %j", (options, message) => {
    const make = () => createWebhookReceiver(options as never);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });
});

describe("the payment events of many merchants", () => {
  const paid = { account_reference: "ORDER-42", status: "completed", transaction_id: "TX-1" };

  test("an event resolves only the attempts of its merchant", async () => {
    const resolved: [string, unknown][] = [];
    const { receiver, deliver } = platform({
      attempts: (merchant) => ({
        resolveByPayment: async ({ reference }) => resolved.push([merchant, reference]),
      }),
    });
    receiver.onOther(() => {});
    await receiver.start();
    await deliver("shop-1", bodyOf("P-1", paid));
    await deliver("shop-2", bodyOf("P-2", paid));
    await expect
      .poll(() => resolved)
      .toEqual([
        ["shop-1", "P-1"],
        ["shop-2", "P-2"],
      ]);
    await receiver.stop();
  });

  test("the payments of two merchants are not a double payment", async () => {
    const onDoublePayment = vi.fn();
    const { receiver, deliver } = platform({ onDoublePayment });
    const handler = vi.fn();
    receiver.onOther(handler);
    await receiver.start();
    await deliver("shop-1", bodyOf("P-1", paid));
    await deliver("shop-2", bodyOf("P-2", paid));
    await deliver("shop-2", bodyOf("P-3", { ...paid, transaction_id: "TX-2" }));
    await expect.poll(() => handler.mock.calls.length).toBe(3);
    await receiver.stop();
    expect(onDoublePayment.mock.calls).toEqual([
      [{ by: "account_reference", value: "ORDER-42", references: ["P-2", "P-3"] }, "shop-2"],
    ]);
  });
});
