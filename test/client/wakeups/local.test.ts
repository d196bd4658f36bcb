import { createWakeups, Gateway, isKnownEvent, verifyWebhook, type Wake } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { gatewayWith } from "../support/gateway.ts";
import { hang, type Step, status } from "../support/responses.ts";
import { paid, REFERENCE, waiting } from "../support/waits.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a wake-up", () => {
  test("causes one read at once", async () => {
    const { wake, notify } = createWakeups();
    const { passed, outcome, at } = waiting([paid("pending"), paid("completed")], { wake });
    await passed(700);
    notify(REFERENCE);
    expect(await passed(0)).toBe(true);
    expect(at).toEqual([0, 700]);
    expect(await outcome()).toMatchObject({ status: "fulfilled", at: 700 });
  });

  test("of one merchant wakes only waits for that merchant's payment", () => {
    const { wake, wakeOf, notify } = createWakeups();
    const [first, second, none] = [vi.fn(), vi.fn(), vi.fn()];
    const stop = wakeOf("shop-1")(REFERENCE, first);
    wakeOf("shop-2")(REFERENCE, second);
    wake(REFERENCE, none);
    const calls = () => [first, second, none].map(({ mock }) => mock.calls.length);
    notify(REFERENCE, "shop-1");
    expect(calls()).toEqual([1, 0, 0]);
    notify(REFERENCE, "shop-2");
    notify(REFERENCE);
    notify("PAY-2", "shop-1");
    notify("", "shop-1");
    expect(calls()).toEqual([1, 1, 1]);
    stop();
    notify(REFERENCE, "shop-1");
    expect(calls()).toEqual([1, 1, 1]);
  });

  test("is only a hint: the wait goes on if the read says pending", async () => {
    const { wake, notify } = createWakeups();
    const { passed, at } = waiting([...Array(4).fill(paid("pending")), paid("failed")], { wake });
    await passed(700);
    notify(REFERENCE);
    expect(await passed(4_300)).toBe(false);
    expect(at).toEqual([0, 700, 2_000, 5_000]);
    expect(await passed(3_000)).toBe(true);
  });

  test("during a read causes one more read, however many there are", async () => {
    const { wake, notify } = createWakeups();
    const slow: Step = () =>
      new Promise((resolve) => setTimeout(resolve, 900, paid("pending")({} as never)));
    const { passed, at } = waiting([slow, paid("pending"), paid("completed")], { wake });
    await passed(300);
    for (let times = 0; times < 50; times++) notify(REFERENCE);
    await passed(600);
    expect(at).toEqual([0, 900]);
    await passed(1_100);
    expect(at).toEqual([0, 900, 2_000]);
  });

  test("has priority over Retry-After", async () => {
    const { wake, notify } = createWakeups();
    const busy = status(429, { "retry-after": "60" });
    const { passed, at } = waiting([busy, paid("completed")], { wake });
    await passed(1_000);
    notify(REFERENCE);
    expect(await passed(0)).toBe(true);
    expect(at).toEqual([0, 1_000]);
  });

  test("between the last read and the time limit causes a read", async () => {
    const { wake, notify } = createWakeups();
    const { passed, outcome } = waiting([paid("pending"), paid("completed")], {
      wake,
      waitMs: 400,
    });
    await passed(399);
    notify(REFERENCE);
    expect(await outcome()).toMatchObject({ status: "fulfilled", at: 399 });
  });

  test("for a payment without a wait does nothing", async () => {
    const { wake, notify } = createWakeups();
    notify(REFERENCE);
    notify("");
    const { passed, at } = waiting([paid("pending"), paid("completed")], { wake });
    notify("PAY-2");
    await passed(1_000);
    expect(at).toEqual([0]);
    await passed(1_000);
  });

  test("reaches every wait for its payment and no other wait", async () => {
    const { wake, notify } = createWakeups();
    const reads: string[] = [];
    const { gateway } = gatewayWith([
      ({ url }) => {
        const reference = url.slice(url.lastIndexOf("/") + 1);
        reads.push(reference);
        const seen = reads.filter((one) => one === reference).length;
        return Response.json({ data: { reference, status: seen > 2 ? "completed" : "pending" } });
      },
    ]);
    const options = { wake, waitMs: 1_500 };
    const two = [0, 1].map(() => gateway.payments.waitFor("PAY-1", options));
    const other = gateway.payments.waitFor("PAY-2", options).catch(({ code }) => code);
    await vi.advanceTimersByTimeAsync(100);
    notify("PAY-1");
    await expect(Promise.all(two)).resolves.toHaveLength(2);
    expect(reads).toEqual(["PAY-1", "PAY-1", "PAY-2", "PAY-1", "PAY-1"]);
    await vi.advanceTimersByTimeAsync(1_400);
    expect(await other).toBe("payment_pending");
  });

  test("reaches its wait among 1,000 others", async () => {
    const { wake, notify } = createWakeups();
    const completed = new Set<string>();
    const { gateway, sent } = gatewayWith([
      ({ url }) => {
        const reference = url.slice(url.lastIndexOf("/") + 1);
        const status = completed.has(reference) ? "completed" : "pending";
        return Response.json({ data: { reference, status } });
      },
    ]);
    const references = Array.from({ length: 1_000 }, (_, at) => `PAY-${at}`);
    const waits = references.map((reference) => gateway.payments.waitFor(reference, { wake }));
    await vi.advanceTimersByTimeAsync(500);
    expect(sent).toHaveLength(1_000);
    for (const reference of references) {
      completed.add(reference);
      notify(reference);
    }
    const payments = await Promise.all(waits);
    expect(payments.map(({ reference }) => reference)).toEqual(references);
    expect(sent).toHaveLength(2_000);
  });
});

describe("a wait that is over has unsubscribed", () => {
  /** A subscription that counts its subscribers. */
  function counted() {
    let there = 0;
    const wake: Wake = () => {
      there++;
      return () => there--;
    };
    return { wake, there: () => there };
  }

  test.each<[string, readonly Step[], number]>([
    ["because the payment reached a final status", [paid("pending"), paid("completed")], 9_000],
    ["because of its time limit", [paid("pending")], 9_000],
    ["because the service rejected the read", [paid("pending"), status(403)], 9_000],
    ["because its read hangs", [hang], 9_000],
  ])("%s", async (_, steps, waitMs) => {
    const { wake, there } = counted();
    const { passed } = waiting(steps, { wake, waitMs });
    expect(there()).toBe(1);
    expect(await passed(9_000)).toBe(true);
    expect(there()).toBe(0);
  });

  test("because of its signal", async () => {
    const { wake, there } = counted();
    const controller = new AbortController();
    const { passed } = waiting([paid("pending")], { wake, signal: controller.signal });
    await passed(100);
    controller.abort();
    expect(await passed(0)).toBe(true);
    expect(there()).toBe(0);
  });

  test("and may unsubscribe twice without effect on another", async () => {
    const { wake, notify } = createWakeups();
    const first = wake(REFERENCE, () => {});
    first();
    const look = vi.fn();
    const second = wake(REFERENCE, look);
    first();
    notify(REFERENCE);
    expect(look).toHaveBeenCalledTimes(1);
    second();
    notify(REFERENCE);
    expect(look).toHaveBeenCalledTimes(1);
  });

  test("and leaves another subscription of the same function", async () => {
    const { wake, notify } = createWakeups();
    const look = vi.fn();
    const first = wake(REFERENCE, look);
    wake(REFERENCE, look);
    first();
    notify(REFERENCE);
    expect(look).toHaveBeenCalledTimes(1);
  });
});

test.each<[string, Wake]>([
  [
    "cannot be subscribed to",
    () => {
      throw new Error("no");
    },
  ],
  [
    "cannot be unsubscribed from",
    () => () => {
      throw new Error("no");
    },
  ],
  ["give no unsubscribe", () => undefined as never],
])("wake-ups that %s cost the payment nothing", async (_, wake) => {
  const { payment } = waiting([paid("pending"), paid("completed")], { wake });
  expect(await payment()).toMatchObject({ status: "completed" });
});

test("a verified webhook in this process ends a wait with the next read", async () => {
  const wakeups = createWakeups();
  const sandbox = createSandbox({
    deliver: async (request) => {
      const body = await request.text();
      const { headers } = request;
      const event = verifyWebhook({ body, headers, secret: sandbox.webhookSecret });
      if (isKnownEvent(event, "payment.completed")) wakeups.notify(event.data.reference);
      return new Response("{}");
    },
  });
  const reads: string[] = [];
  const gateway = new Gateway({
    apiKey: sandbox.keys.secret,
    baseUrl: sandbox.baseUrl,
    fetch: sandbox.fetch,
    hooks: { request: ({ endpoint }) => void reads.push(endpoint) },
  });
  await gateway.webhooks.register({
    name: "shop",
    url: "https://shop.test/hook",
    events: ["payment.completed"],
  });
  const { reference } = await gateway.mobileMoney.initiate({ amount: 5, phone: "0712345678" });
  reads.length = 0;
  const wait = gateway.payments.waitFor(reference, { wake: wakeups.wake });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toHaveLength(1);
  sandbox.phone("0712345678").approve();
  await expect(wait).resolves.toMatchObject({ status: "completed", reference });
  expect(reads).toHaveLength(2);
});
