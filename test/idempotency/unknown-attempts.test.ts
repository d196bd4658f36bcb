import type { Gateway, IdempotencyStore } from "malipo";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { BASE_URL, gatewayWith, KEYS, rejection } from "../client/support/gateway.ts";
import { type Fetch, neverResponds, reset, script, status } from "../client/support/responses.ts";

// Which attempt a process resolves: the one that it has seen.

const order = { amount: 100, phone: "0712345678" };
const key = "ORDER-42/1";
const initiate = (gateway: Gateway) => gateway.mobileMoney.initiate(order, { idempotencyKey: key });

const never = () => Promise.reject(new Error("Nothing may be sent."));

/** A second process: another copy of the package. */
let there: typeof import("malipo");

beforeAll(async () => {
  // This process loads its parts first: they belong to its copy of the package.
  await gatewayWith([reset]).gateway.idempotency.list();
  await rejection(initiate(gatewayWith([reset]).gateway));
  vi.resetModules();
  there = await import("malipo");
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});
/** Until the request of an attempt cannot be on its way any more: its lease and a margin. */
const wait = () => vi.advanceTimersByTime(75_000);
const elsewhere = (idempotency: IdempotencyStore, fetch: Fetch) =>
  new there.Gateway({ apiKey: KEYS.secret, baseUrl: BASE_URL, idempotency, fetch }) as Gateway;

describe("an attempt of unknown outcome", () => {
  test("is not resolved by a process that looked at the attempt before it", async () => {
    const idempotency = memoryIdempotency();
    const one = gatewayWith([reset, reset], { idempotency });
    const two = elsewhere(idempotency, never);
    await rejection(initiate(one.gateway));
    await rejection(initiate(two));
    wait();
    await one.gateway.idempotency.resolve(key, "not_sent");
    // The response of the second prompt is lost too.
    await rejection(initiate(one.gateway));
    const stale = await rejection(two.idempotency.resolve(key, "not_sent"));
    expect(stale).toMatchObject({
      code: "idempotency_conflict",
      message: expect.stringContaining("Look again"),
    });
    expect((await rejection(initiate(two))).code).toBe("outcome_unknown");
    // It has seen this attempt now.
    await two.idempotency.resolve(key, "PAY-2");
    expect(await initiate(one.gateway)).toEqual({ reference: "PAY-2" });
    expect(one.sent).toHaveLength(2);
  });

  test("is not resolved by a process that made the attempt before it and has not seen this one", async () => {
    const idempotency = memoryIdempotency();
    const one = gatewayWith([reset], { idempotency });
    const two = elsewhere(idempotency, script(reset).fetch);
    await rejection(initiate(one.gateway));
    wait();
    await two.idempotency.resolve(key, "not_sent");
    await rejection(initiate(two));
    const stale = await rejection(one.gateway.idempotency.resolve(key, "not_sent"));
    expect(stale).toMatchObject({
      code: "idempotency_conflict",
      message: expect.stringContaining("Look again"),
    });
    await two.idempotency.resolve(key, "PAY-2");
  });

  test("is resolved by a process whose own call was rejected before", async () => {
    const idempotency = memoryIdempotency();
    const one = gatewayWith([status(422)], { idempotency });
    const two = elsewhere(idempotency, script(reset).fetch);
    await rejection(initiate(one.gateway));
    await rejection(initiate(two));
    await one.gateway.idempotency.resolve(key, "PAY-2");
    expect(await initiate(two)).toEqual({ reference: "PAY-2" });
  });
});

test("a process remembers the last 10 000 unknown attempts that it has seen", async () => {
  const closed: [string, string | undefined][] = [];
  const { gateway } = gatewayWith([neverResponds], {
    idempotency: {
      ...memoryIdempotency(),
      begin: async (name) => ({
        state: "unknown",
        sameParameters: true,
        sameService: true,
        notSentInMs: 0,
        owner: `owner of ${name.split(" ")[2]}`,
      }),
      resolve: async (name, _, owner) => {
        closed.push([name.split(" ")[2] ?? "", owner]);
        return { state: "resolved" };
      },
    },
  });
  const ask = (i: number) =>
    rejection(gateway.invoices.send("9", undefined, { idempotencyKey: `K${i}` }));
  for (let i = 0; i < 10_000; i++) await ask(i);
  // K0 is the newest after this, so K1 is the one that is forgotten.
  await ask(0);
  await ask(10_000);
  for (const i of [0, 1, 2, 10_000]) {
    await gateway.idempotency.resolve(`K${i}`, "not_sent", { endpoint: "invoices.send" });
  }
  expect(closed).toEqual([
    ["K0", "owner of K0"],
    ["K1", undefined],
    ["K2", "owner of K2"],
    ["K10000", "owner of K10000"],
  ]);
});
