import { Gateway, memory } from "malipo";
import { createCheckout } from "malipo/checkout";
import { signWebhook } from "malipo/webhooks";
import { expect, it, vi } from "vitest";
import { newSandbox, ORDER, openShop, testClock } from "./stage.ts";

const deliver = (
  shop: ReturnType<typeof openShop>,
  secret: string,
  event: string,
  data: object,
) => {
  const body = JSON.stringify({ event, timestamp: new Date().toISOString(), data });
  const headers = { "x-service-signature": signWebhook(body, secret) };
  return shop.checkout.receiver.handle({ method: "POST", headers, body });
};

it("a gateway with its own idempotency keys is rejected before anything is sent", async () => {
  const { fetch, keys, baseUrl, webhookSecret: secret } = newSandbox();
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch });
  const checkout = createCheckout({
    store: memory().checkout(),
    gateway,
    secret,
    onPaid: () => {},
  });
  await expect(checkout.pay(ORDER)).rejects.toMatchObject({ code: "configuration" });
  await expect(checkout.start()).rejects.toMatchObject({ code: "configuration" });
});

it("wrong parameters are rejected, and nothing is stored", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  for (const wrong of [
    { amount: 0 },
    { amount: 1.005 },
    { phone: "12" },
    { id: "" },
    { expiresAt: "soon" },
  ]) {
    await expect(checkout.pay({ ...ORDER, ...wrong })).rejects.toMatchObject({
      code: "invalid_params",
    });
  }
  expect((await checkout.list()).items).toEqual([]);
});

it("with a prefix, payments of another shop on the account are neither matched nor reviewed", async () => {
  const sandbox = newSandbox();
  const shop = openShop(sandbox, memory().checkout(), { prefix: "A-" });
  const order = await shop.checkout.create(ORDER);
  expect(order.accountReference).toBe("A-ORDER-1");
  const payment = { payment_id: 1, status: "completed", amount: "1500.00", currency: "KES" };
  const report = (reference: string, account_reference: string) =>
    deliver(shop, sandbox.webhookSecret, "payment.completed", {
      ...payment,
      reference,
      account_reference,
    });
  expect(await report("R1", "B-ORDER-1")).toMatchObject({ status: 200 });
  expect(await report("R2", "ORDER-1")).toMatchObject({ status: 200 });
  expect(await shop.checkout.reviews.list()).toEqual([]);
  expect(await shop.checkout.get(ORDER.id)).toMatchObject({ status: "open" });
  await report("R3", "a-order-1 ");
  expect(await shop.checkout.get(ORDER.id)).toMatchObject({ status: "paid" });
});

it("an id that is too long is shortened, and two ids never share a reference", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  const one = await checkout.create({ id: "customer-17/order-1", amount: 5 });
  const other = await checkout.create({ id: "customer-17/order-2", amount: 5 });
  expect(one.accountReference).toMatch(/^[0-9A-Z-]{1,12}$/);
  expect(other.accountReference).not.toBe(one.accountReference);
  const taken = checkout.create({ id: "x", amount: 5, accountReference: one.accountReference });
  await expect(taken).rejects.toMatchObject({ code: "order_conflict" });
});

it("a webhook whose kind and status differ, or whose label is that of another order, pays nothing", async () => {
  const sandbox = newSandbox();
  const shop = openShop(sandbox, memory().checkout());
  const order = await shop.checkout.pay(ORDER);
  const other = await shop.checkout.create({ id: "ORDER-2", amount: 1500 });
  const reference = order.attempts[0]?.reference;
  const payment = { reference, amount: "1500.00", currency: "KES" };
  const wrong = [
    { ...payment, status: "failed", account_reference: order.accountReference },
    { ...payment, status: "completed", account_reference: other.accountReference },
  ];
  for (const data of wrong) await deliver(shop, sandbox.webhookSecret, "payment.completed", data);
  expect(await shop.checkout.inspect(ORDER.id)).toMatchObject({
    status: "pending",
    reviews: [{ kind: "contradiction" }],
  });
  expect(await shop.checkout.get(other.id)).toMatchObject({ status: "open" });
});

it("other events reach their handlers, and those of payments are the checkout's own", async () => {
  const sandbox = newSandbox();
  const shop = openShop(sandbox, memory().checkout());
  const { receiver } = shop.checkout;
  const invoices: unknown[] = [];
  receiver.on("invoice.paid", ({ data }) => invoices.push(data.id));
  expect(() => receiver.on("payment.completed", () => {})).toThrow(/onPaid/);
  await deliver(shop, sandbox.webhookSecret, "invoice.paid", { id: 7, reference: "I-7" });
  await shop.checkout.reconcile();
  expect(invoices).toEqual([7]);
});

it("the news that a payment was started asks for no handler, and one may be there", async () => {
  const says = vi.spyOn(console, "info").mockImplementation(() => {});
  const sandbox = newSandbox();
  const started = { reference: "R-1", status: "pending" };
  const plain = openShop(sandbox, memory().checkout());
  await plain.checkout.start();
  await deliver(plain, sandbox.webhookSecret, "payment.initiated", started);
  const own = openShop(sandbox, memory().checkout());
  const seen: unknown[] = [];
  own.checkout.receiver.on("payment.initiated", ({ data }) => seen.push(data.reference));
  await own.checkout.start();
  await deliver(own, sandbox.webhookSecret, "payment.initiated", started);
  await expect.poll(() => seen).toEqual(["R-1"]);
  expect(says).not.toHaveBeenCalled();
  says.mockRestore();
});

it("a page follows an order by its id, without a reference of a payment", async () => {
  const sandbox = newSandbox();
  const shop = openShop(sandbox, memory().checkout());
  const order = await shop.checkout.pay(ORDER);
  const route = shop.checkout.statusHandler();
  const asked = await route(new Request(`http://shop.example/orders/${ORDER.id}`));
  expect(await asked.json()).toEqual({ status: "pending", final: false });
  const waiting = shop.checkout.wait(ORDER.id, { waitMs: 20_000 });
  const payment = {
    reference: order.attempts[0]?.reference,
    status: "completed",
    amount: "1500.00",
    currency: "KES",
  };
  await deliver(shop, sandbox.webhookSecret, "payment.completed", payment);
  expect(await waiting).toMatchObject({ status: "paid" });
  const paid = await route(new Request(`http://shop.example/payment?order=${ORDER.id}`));
  expect(await paid.json()).toMatchObject({ status: "completed", final: true });
});

it("an onError that throws hides nothing: the outcome of the prompt is stored", async () => {
  const sandbox = newSandbox();
  const fetch = async (url: string, init: RequestInit) =>
    url.includes("payment/initiate")
      ? Response.json({ success: false, message: "No." }, { status: 422 })
      : sandbox.fetch(url, init);
  for (const onError of [
    () => {
      throw new Error("The log is full.");
    },
    () => Promise.reject(new Error("The log is full.")),
  ]) {
    const { checkout } = openShop(sandbox, memory().checkout(), { fetch, onError });
    expect(await checkout.pay(ORDER)).toMatchObject({
      status: "open",
      attempts: [{ status: "not_sent" }],
    });
  }
});

it.each([
  [ORDER.id, "with:colons"],
  [ORDER.id, undefined],
  ["shop:overpaid:7", "R"],
  ["unmatched", "R"],
])("a review of the order %j about the payment %j can be decided", async (id, reference) => {
  const sandbox = newSandbox();
  const shop = openShop(sandbox, memory().checkout(), { partPayments: "review" });
  const order = await shop.checkout.create({ ...ORDER, id });
  const payment = {
    payment_id: 7,
    reference,
    status: "completed",
    amount: "1.00",
    currency: "KES",
    account_reference: order.accountReference,
  };
  await deliver(shop, sandbox.webhookSecret, "payment.completed", payment);
  const [review] = await shop.checkout.reviews.list();
  expect(review).toMatchObject({ kind: "amount_mismatch", orderId: id });
  const decided = await shop.checkout.reviews.resolve(review?.id ?? "", "accept");
  expect(decided).toMatchObject({ status: "paid" });
});

it("an order that the service cannot charge as it says is rejected", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const wrong: object[] = [
    { currency: "USD" },
    { currency: "K" },
    { amount: "9007199254740993.00" },
    { amount: "1e3" },
    { amount: -1 },
    { amount: "1500.004" },
    { expiresAt: null },
    { expiresAt: 1_700_000_000 },
    { accountReference: "A\0B" },
    { accountReference: "\uD800" },
    { metadata: cyclic },
    { metadata: { text: "x".repeat(100_000) } },
  ];
  for (const one of wrong) {
    const created = checkout.create({ ...ORDER, ...one });
    await expect(created, Object.keys(one)[0]).rejects.toMatchObject({ code: "invalid_params" });
  }
});

it("metadata with a BigInt is refused by its name", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  for (const metadata of [{ order: 7n }, { items: [{ id: 7n }] }]) {
    await expect(checkout.create({ ...ORDER, metadata })).rejects.toThrow(
      /metadata.+expected JSON, got a BigInt: write it as a text, String\(value\)/,
    );
  }
});

it.each([
  "a".repeat(200),
  "Bestellung äöü 😀",
  "../x y/'\"%",
  "__proto__",
  "constructor",
  "O/1",
  "O:1",
])("the order %j is asked for, and followed by its address", async (id) => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  const metadata = JSON.parse('{"__proto__": {"paid": true}}');
  const order = await checkout.pay({ ...ORDER, id, metadata });
  expect(order).toMatchObject({ status: "pending", attempts: [{ status: "pending" }] });
  expect((await checkout.inspect(id))?.metadata.paid).toBeUndefined();
  const url = `http://shop.example/orders/${encodeURIComponent(id)}`;
  const followed = await checkout.statusHandler()(new Request(url));
  expect(await followed.json()).toMatchObject({ status: "pending" });
});

it("a page with a broken address finds no order", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  const followed = await checkout.statusHandler()(new Request("http://shop.example/orders/%E0"));
  expect(followed.status).toBe(404);
});

it("an order is asked for three times at most, on any phones", async () => {
  const sandbox = newSandbox();
  const clock = testClock();
  const { checkout } = openShop(sandbox, memory({ now: clock.now }).checkout());
  for (let number = 1; number <= 4; number++) {
    const phone = `07120000${number}0`;
    await checkout.pay({ ...ORDER, phone });
    if (number <= 3) sandbox.phone(phone).cancel();
    await sandbox.clock.advance("10s");
    clock.advance(10_000);
    await checkout.reconcile();
  }
  const order = await checkout.get(ORDER.id);
  expect(order).toMatchObject({ status: "open", canPay: false });
  expect(order?.attempts).toHaveLength(3);
  expect(order?.message).toMatch(/several requests/);
});

it.each(["x", "-1", 1.5, -1, Number.NaN, null])("`after` cannot be %j", async (after) => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  await expect(checkout.pay(ORDER, { after: after as number })).rejects.toThrow(/after/);
});

it("`after` may be the text that a form sends", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  expect((await checkout.pay(ORDER, { after: "0" })).attempts).toHaveLength(1);
  expect((await checkout.pay(ORDER, { after: "0" })).attempts).toHaveLength(1);
});

it("a phone has one limit, however it is written", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  await checkout.pay(ORDER);
  const spellings = ["+254 712-345678", "254712345678", "00254712345678", "+254 (0) 712 345 678"];
  for (const [at, phone] of spellings.entries()) {
    const other = await checkout.pay({ ...ORDER, id: `OTHER-${at}`, phone });
    expect(other).toMatchObject({ status: "open", attempts: [], canPay: false });
    expect(other.message).toMatch(/^Another payment request.*Reject/);
  }
});

it("the goods do not wait for payments that cannot be read", async () => {
  const sandbox = newSandbox();
  const clock = testClock();
  const fetch = (url: string, init: RequestInit) =>
    /payments\/[^/?]+$/.test(url) ? new Promise<Response>(() => {}) : sandbox.fetch(url, init);
  const shop = openShop(sandbox, memory({ now: clock.now }).checkout(), { fetch });
  for (let at = 0; at < 40; at++) {
    await shop.checkout.pay({ ...ORDER, id: `O-${at}`, phone: `07120000${10 + at}` });
  }
  clock.advance(60_000);
  const last = await shop.checkout.get("O-39");
  const payment = {
    reference: last?.attempts[0]?.reference,
    status: "completed",
    amount: "1500.00",
    currency: "KES",
  };
  await deliver(shop, sandbox.webhookSecret, "payment.completed", payment);
  // It still waits for its reads when the test ends.
  shop.checkout.reconcile().catch(() => {});
  await expect.poll(() => shop.given).toEqual(["O-39"]);
});

it.each([
  { what: "accepts", says: { status: "pending", attempts: [{ status: "pending" }] } },
  { what: "loses", says: { status: "pending", attempts: [{ status: "unknown" }] } },
  { what: "rejects", says: { status: "open", attempts: [{ status: "not_sent" }] } },
])(
  "`pay` resolves if the store fails after the service $what the request",
  async ({ what, says }) => {
    const sandbox = newSandbox();
    const inMemory = memory().checkout();
    let isAway = false;
    const away = () => Promise.reject(new Error("the database is away"));
    const store = {
      ...inMemory,
      read: (...given: Parameters<typeof inMemory.read>) =>
        isAway ? away() : inMemory.read(...given),
      commit: (...given: Parameters<typeof inMemory.commit>) =>
        isAway ? away() : inMemory.commit(...given),
    };
    const fetch = async (url: string, init: RequestInit) => {
      isAway ||= url.endsWith("/initiate");
      const response = await sandbox.fetch(url, init);
      if (what === "loses") throw new TypeError("fetch failed");
      return what === "rejects" ? Response.json({ success: false }, { status: 422 }) : response;
    };
    const { checkout, errors } = openShop(sandbox, store, { fetch });
    expect(await checkout.pay(ORDER)).toMatchObject(says);
    expect(errors.map(String)).toContain("Error: the database is away");
    // A later look finds what the store has not learned.
    isAway = false;
    expect(await checkout.pay(ORDER)).toMatchObject({ status: "pending", attempts: [{}] });
  },
);

it("a canceled order says what to do with a request that is still on the phone", async () => {
  const { checkout } = openShop(newSandbox(), memory().checkout());
  await checkout.pay(ORDER);
  expect((await checkout.cancel(ORDER.id))?.message).toMatch(/Reject/);
});

it("a customer whose money came after the end of the order reads that it is here", async () => {
  const sandbox = newSandbox();
  const shop = openShop(sandbox, memory().checkout());
  const { attempts } = await shop.checkout.pay(ORDER);
  await shop.checkout.cancel(ORDER.id);
  const paid = { reference: attempts[0]?.reference, status: "completed", amount: "1500.00" };
  await deliver(shop, sandbox.webhookSecret, "payment.completed", { ...paid, currency: "KES" });
  const order = await shop.checkout.inspect(ORDER.id);
  expect(order?.message).toMatch(/canceled\. We received a payment for it and will pay it back/);
  const [review] = order?.reviews ?? [];
  await shop.checkout.reviews.resolve(review?.id ?? "", "refunded");
  expect((await shop.checkout.get(ORDER.id))?.message).toBe("This order was canceled.");
});

it("a call that does not end is not called a request on the phone", async () => {
  const sandbox = newSandbox();
  const clock = testClock();
  const fetch = (url: string, init: RequestInit) =>
    url.endsWith("/initiate") ? new Promise<Response>(() => {}) : sandbox.fetch(url, init);
  const { checkout } = openShop(sandbox, memory({ now: clock.now }).checkout(), { fetch });
  checkout.pay(ORDER).catch(() => {});
  const message = async () => (await checkout.get(ORDER.id))?.message;
  await expect.poll(() => message()).toMatch(/We are sending a request/);
  clock.advance(20_000);
  expect(await message()).toMatch(/Please do not pay again yet/);
});

it("the phone of a customer is in no message", async () => {
  const sandbox = newSandbox();
  const shop = openShop(sandbox, memory().checkout());
  const order = await shop.checkout.pay(ORDER);
  const failed = {
    reference: order.attempts[0]?.reference,
    status: "failed",
    user_message: "The request to 254712345678 (0712 345 678) was cancelled.",
  };
  await deliver(shop, sandbox.webhookSecret, "payment.failed", failed);
  const shown = await shop.checkout.get(ORDER.id);
  expect(shown?.message).toMatch(/cancelled/);
  expect(JSON.stringify(shown)).not.toMatch(/712.?345.?678/);
});

it("a phone that was asked too often learns how long it still waits, not a time of day", async () => {
  const sandbox = newSandbox();
  const clock = testClock();
  const { checkout } = openShop(sandbox, memory({ now: clock.now }).checkout(), { phoneLimit: 1 });
  await checkout.pay(ORDER);
  sandbox.phone(ORDER.phone).cancel();
  await sandbox.clock.advance("10s");
  clock.advance(150_000);
  await checkout.reconcile();
  const says = async () => (await checkout.get("OTHER"))?.message;
  await checkout.pay({ ...ORDER, id: "OTHER" });
  expect(await says()).toMatch(/asked again in 8 minutes\./);
  clock.advance(420_000);
  expect(await says()).toMatch(/asked again in 1 minute\./);
  clock.advance(60_000);
  expect(await checkout.get("OTHER")).toMatchObject({
    canPay: true,
    message: expect.stringMatching(/asked again now\./),
  });
});
