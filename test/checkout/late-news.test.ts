import { memory } from "malipo";
import { signWebhook } from "malipo/webhooks";
import { expect, it } from "vitest";
import { MINUTE_MS } from "../../src/internal/units.ts";
import { newSandbox, ORDER, openShop, PHONE, testClock } from "./stage.ts";

/** A promise that a test ends. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function stage() {
  const sandbox = newSandbox();
  const clock = testClock();
  const store = memory({ now: clock.now }).checkout();
  const shop = openShop(sandbox, store);
  const deliver = async (event: string, data: object) => {
    const body = JSON.stringify({ event, timestamp: new Date().toISOString(), data });
    const headers = { "x-service-signature": signWebhook(body, sandbox.webhookSecret) };
    const response = await shop.checkout.receiver.handle({ method: "POST", headers, body });
    return JSON.parse(response.body).ResultDesc as string;
  };
  return { sandbox, clock, store, ...shop, deliver };
}

it("a response that is written after its payment has failed reopens nothing", async () => {
  const { sandbox, clock, store, checkout } = stage();
  const [written, resume] = [gate(), gate()];
  let hasResponse = false;
  const slow = openShop(
    sandbox,
    {
      ...store,
      commit: async (...args) => {
        if (hasResponse) {
          written.open();
          await resume.opened;
        }
        return store.commit(...args);
      },
    },
    {
      fetch: async (url, init) => {
        const response = await sandbox.fetch(url, init);
        hasResponse ||= url.includes("payment/initiate");
        return response;
      },
    },
  );
  const paying = slow.checkout.pay(ORDER);
  await written.opened;
  // Another process reads the key, and then the payment.
  clock.advance(6_000);
  await checkout.reconcile();
  sandbox.phone(PHONE).cancel();
  await sandbox.clock.advance("10s");
  clock.advance(10_000);
  await checkout.reconcile();
  const ended = { status: "open", attempts: [{ status: "failed" }] };
  expect(await checkout.get(ORDER.id)).toMatchObject(ended);
  resume.open();
  expect(await paying).toMatchObject(ended);
});

it("a payment that is found after its response was lost is read at once, however old it is", async () => {
  const { sandbox, clock, store, checkout } = stage();
  const loses = openShop(sandbox, store, {
    fetch: async (url, init) => {
      await sandbox.fetch(url, init);
      throw new TypeError("fetch failed");
    },
  });
  await loses.checkout.pay(ORDER);
  sandbox.phone(PHONE).approve();
  await sandbox.clock.advance("10s");
  clock.advance(20 * MINUTE_MS);
  await checkout.reconcile();
  expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid" });
});

it("a payment that is reported again is a duplicate, and in another currency a contradiction", async () => {
  const { checkout, deliver } = stage();
  const order = await checkout.pay(ORDER);
  const reference = order.attempts[0]?.reference;
  const payment = { reference, status: "completed", amount: "1500.00", currency: "KES" };
  const says = async (event: string, data: object) => [
    await deliver(event, data),
    (await checkout.reviews.list()).map(({ kind }) => kind),
  ];
  expect(await says("payment.completed", payment)).toEqual(["received", []]);
  expect(await says("payment.completed", payment)).toEqual(["received before", []]);
  const bare = { reference, status: "completed" };
  expect(await says("payment.completed", bare)).toEqual(["received before", []]);
  const other = { ...payment, currency: "UGX" };
  expect(await says("payment.completed", other)).toEqual(["received", ["contradiction"]]);
  expect(await says("payment.completed", other)).toEqual(["received before", ["contradiction"]]);
});

it("a failure and a payment without an order, reported again, are duplicates", async () => {
  const { checkout, deliver } = stage();
  const order = await checkout.pay(ORDER);
  const failed = { reference: order.attempts[0]?.reference, status: "failed" };
  const stray = { reference: "STRAY", status: "completed", amount: "1.00", currency: "KES" };
  for (const says of ["received", "received before"]) {
    expect(await deliver("payment.failed", failed)).toBe(says);
    expect(await deliver("payment.completed", stray)).toBe(says);
  }
});

it("`stop` ends at its time limit although onPaid has not ended", async () => {
  const { sandbox, clock, store } = stage();
  const called = gate();
  const paying = gate();
  const { checkout, errors } = openShop(sandbox, store, {
    onPaid: () => {
      called.open();
      return paying.opened;
    },
  });
  await checkout.pay(ORDER);
  sandbox.phone(PHONE).approve();
  await sandbox.clock.advance("10s");
  clock.advance(10_000);
  await checkout.start();
  await called.opened;
  expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid", effect: "due" });
  await checkout.stop({ timeoutMs: 10 });
  expect(errors).toEqual([]);
});

it.each(["the webhook", "the read"])(
  "a webhook without a reference and a read of one payment are one payment, %s first",
  async (first) => {
    const { sandbox, clock, checkout, deliver, given, gateway } = stage();
    const order = await checkout.pay(ORDER);
    sandbox.phone(PHONE).approve();
    await sandbox.clock.advance("10s");
    clock.advance(10_000);
    const reference = order.attempts[0]?.reference ?? "";
    const { payment_id } = await gateway.payments.get(reference);
    expect(payment_id).toEqual(expect.any(Number));
    const webhook = () =>
      deliver("payment.completed", {
        payment_id,
        status: "completed",
        amount: "1500.00",
        currency: "KES",
        account_reference: order.accountReference,
      });
    if (first === "the webhook") await webhook();
    await checkout.reconcile();
    if (first === "the read") await webhook();
    clock.advance(60 * 60_000);
    await checkout.reconcile();
    expect(await checkout.inspect(ORDER.id)).toMatchObject({
      status: "paid",
      received: "1500.00",
      attempts: [{ status: "completed" }],
      reviews: [],
    });
    expect(given).toEqual([ORDER.id]);
  },
);

it("an order whose payment failed for good may be paid by another phone", async () => {
  const { checkout, deliver, sandbox } = stage();
  const order = await checkout.pay(ORDER);
  sandbox.phone(PHONE).cancel();
  await sandbox.clock.advance("10s");
  await deliver("payment.failed", {
    reference: order.attempts[0]?.reference,
    status: "failed",
    retry_possible: false,
  });
  expect(await checkout.get(ORDER.id)).toMatchObject({ status: "open", canPay: true });
  const again = await checkout.pay({ ...ORDER, phone: "0722000111" }, { after: 1 });
  expect(again).toMatchObject({ status: "pending" });
});
