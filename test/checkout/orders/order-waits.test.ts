import { memory } from "malipo";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CheckoutStore } from "../../../src/checkout/orders/checkout-store.ts";
import { completed, deliver, referenceOf } from "../../suites/checkout-stage.ts";
import { newSandbox, ORDER, openShop } from "../stage.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A shop, and how often each order was read. */
function countedShop(options: Parameters<typeof openShop>[2] = {}) {
  const store = memory().checkout();
  const reads = new Map<string, number>();
  const counted: CheckoutStore = {
    ...store,
    read: (id, transaction) => {
      reads.set(id, (reads.get(id) ?? 0) + 1);
      return store.read(id, transaction);
    },
  };
  const sandbox = newSandbox();
  const shop = openShop(sandbox, counted, options);
  const readsOf = (id: string) => reads.get(id) ?? 0;
  const complete = async (id: string) => {
    const order = await shop.checkout.get(id);
    if (order === undefined) throw new Error(`There is no order ${id}.`);
    await deliver(
      shop.checkout,
      sandbox,
      "payment.completed",
      completed(order, referenceOf(order)),
    );
  };
  return { ...shop, readsOf, complete };
}

const request = (id: string, accept = "application/json") =>
  new Request(`http://shop.example/orders/${id}`, { headers: { accept } });
const streamRequest = (id: string) => request(id, "text/event-stream");

/** Each order has a phone of its own. */
const orderOf = (number: number) => ({
  ...ORDER,
  id: `ORDER-${number}`,
  phone: `07123456${10 + number}`,
});

describe("the status route of an order", () => {
  it.each(["application/json", "text/event-stream"])(
    "responds 404 at once if the order does not exist, and reads it once: %s",
    async (accept) => {
      const { checkout, readsOf } = countedShop();
      const response = await checkout.statusHandler()(request("UNKNOWN", accept));
      expect(response.status).toBe(404);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(readsOf("UNKNOWN")).toBe(1);
    },
  );

  it("reads the order once for each request that asks for JSON", async () => {
    const { checkout, readsOf } = countedShop();
    await checkout.pay(ORDER);
    const before = readsOf(ORDER.id);
    const response = await checkout.statusHandler()(request(ORDER.id));
    expect(await response.json()).toEqual({ status: "pending", final: false });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(readsOf(ORDER.id) - before).toBe(1);
  });

  it("responds 503 if the order cannot be read", async () => {
    const store = memory().checkout();
    const read = async () => Promise.reject(new Error("The store is away."));
    const { checkout, errors } = openShop(newSandbox(), { ...store, read });
    const response = await checkout.statusHandler()(request(ORDER.id));
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(String(errors[0])).toContain("The store is away.");
  });

  it("follows an order that is paid later, and reads it no more once all pages have left", async () => {
    const { checkout, readsOf, complete } = countedShop();
    await checkout.pay(ORDER);
    const route = checkout.statusHandler();
    const pages = await Promise.all(
      Array.from({ length: 100 }, () => route(streamRequest(ORDER.id))),
    );
    const shown = Promise.all(pages.map((one) => one.text()));
    const before = readsOf(ORDER.id);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(readsOf(ORDER.id) - before).toBeLessThanOrEqual(11);
    await complete(ORDER.id);
    await vi.advanceTimersByTimeAsync(0);
    for (const text of await shown) {
      expect(text.match(/"status":"\w+"/g)).toEqual(['"status":"pending"', '"status":"completed"']);
    }
    const left = await route(streamRequest(ORDER.id));
    await left.body?.cancel();
    const after = readsOf(ORDER.id);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(readsOf(ORDER.id)).toBe(after);
  });

  it("ends the stream of an order that was deleted", async () => {
    const store = memory().checkout();
    let isThere = true;
    const read: CheckoutStore["read"] = (id, transaction) =>
      store.read(isThere ? id : "DELETED", transaction);
    const { checkout } = openShop(newSandbox(), { ...store, read });
    await checkout.pay(ORDER);
    const page = await checkout.statusHandler()(streamRequest(ORDER.id));
    await vi.advanceTimersByTimeAsync(1_000);
    isThere = false;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await page.text()).toContain("pending");
    expect((await checkout.statusHandler()(streamRequest(ORDER.id))).status).toBe(404);
  });
});

describe("all that wait for one order", () => {
  it("share one read at a time", async () => {
    const { checkout, readsOf, complete } = countedShop();
    await checkout.pay(ORDER);
    const before = readsOf(ORDER.id);
    const waiting = Array.from({ length: 1_000 }, () => checkout.wait(ORDER.id));
    await vi.advanceTimersByTimeAsync(0);
    expect(readsOf(ORDER.id) - before).toBeLessThanOrEqual(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(readsOf(ORDER.id) - before).toBeLessThanOrEqual(13);
    await complete(ORDER.id);
    await vi.advanceTimersByTimeAsync(0);
    for (const order of await Promise.all(waiting)) expect(order?.status).toBe("paid");
    const after = readsOf(ORDER.id);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(readsOf(ORDER.id)).toBe(after);
  });

  it("have a time and a signal each", async () => {
    const { checkout } = countedShop();
    await checkout.pay(ORDER);
    const controller = new AbortController();
    const left = checkout.wait(ORDER.id, { signal: controller.signal }).catch((error) => error);
    const short = checkout.wait(ORDER.id, { waitMs: 1_200 });
    let isOver = false;
    const long = checkout.wait(ORDER.id, { waitMs: 30_000 }).then((order) => {
      isOver = true;
      return order;
    });
    await vi.advanceTimersByTimeAsync(1_300);
    expect(await short).toMatchObject({ status: "pending" });
    controller.abort("left");
    expect(await left).toBe("left");
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await long).toMatchObject({ status: "pending" });
    await expect(checkout.wait(ORDER.id, { signal: AbortSignal.abort("gone") })).rejects.toBe(
      "gone",
    );
  });

  it("see no read that began before they asked", async () => {
    const store = memory().checkout();
    const held: (() => void)[] = [];
    let isHeld = false;
    const read: CheckoutStore["read"] = async (id, transaction) => {
      const found = await store.read(id, transaction);
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return found;
    };
    const sandbox = newSandbox();
    const { checkout } = openShop(sandbox, { ...store, read });
    await checkout.create(ORDER);
    isHeld = true;
    const early = checkout.wait(ORDER.id);
    await expect.poll(() => held).toHaveLength(1);
    isHeld = false;
    await checkout.pay(ORDER);
    const late = checkout.wait(ORDER.id, { waitMs: 1_000 });
    held[0]?.();
    expect(await early).toMatchObject({ status: "open" });
    await vi.advanceTimersByTimeAsync(1_100);
    expect(await late).toMatchObject({ status: "pending" });
  });
});

describe("beyond the limit of waits", () => {
  it("a wait resolves at once with the order as it is, and a stream ends after it", async () => {
    const { checkout, readsOf } = countedShop({ maxWaits: 2 });
    for (const number of [1, 2, 3]) await checkout.pay(orderOf(number));
    const waiting = [1, 2, 2].map((number) => checkout.wait(`ORDER-${number}`, { waitMs: 10_000 }));
    const before = readsOf("ORDER-3");
    expect(await checkout.wait("ORDER-3")).toMatchObject({ status: "pending" });
    const stream = await checkout.statusHandler()(streamRequest("ORDER-3"));
    expect(await stream.text()).toContain('data: {"status":"pending","final":false}');
    expect(readsOf("ORDER-3") - before).toBe(3);
    await vi.advanceTimersByTimeAsync(10_500);
    await Promise.all(waiting);
    let isOver = false;
    const last = checkout.wait("ORDER-3", { waitMs: 5_000 }).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    await last;
  });

  it("a page without scripts is not asked to load itself again at once", async () => {
    const { checkout } = countedShop({ maxWaits: 1 });
    for (const number of [1, 2]) await checkout.pay(orderOf(number));
    const page = checkout.page({
      merchant: { name: "Duka" },
      secret: "0123456789abcdef0123456789abcdef",
      url: "https://shop.example/pay",
    });
    const waiting = checkout.wait("ORDER-1", { waitMs: 5_000 });
    const html = async (number: number, query: string) =>
      (await page(new Request(`${checkout.payLink(`ORDER-${number}`)}${query}`))).text();
    expect(await html(2, "")).toContain('content="0;url=?wait=1');
    expect(await html(2, "?wait=1")).toContain('content="5;url=?wait=1');
    await vi.advanceTimersByTimeAsync(6_000);
    await waiting;
  });
});
