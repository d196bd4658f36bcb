import { createHmac } from "node:crypto";
import { memory } from "malipo";
import type { Sandbox } from "malipo/sandbox";
import { expect, it } from "vitest";
import { newSandbox, ORDER, openShop, type Shop, testClock } from "../stage.ts";

const payOrders = async ({ checkout }: Shop, count: number): Promise<void> => {
  for (let at = 0; at < count; at++) {
    await checkout.pay({ ...ORDER, id: `O-${at}`, phone: `07120000${10 + at}` });
  }
};

/** The webhook of a payment that is completed. */
async function complete({ checkout }: Shop, sandbox: Sandbox, id: string, at = 0): Promise<void> {
  const reference = (await checkout.get(id))?.attempts[at]?.reference;
  const data = { reference, status: "completed", amount: "1500.00", currency: "KES" };
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ event: "payment.completed", timestamp, data });
  const signature = createHmac("sha256", sandbox.webhookSecret).update(body).digest("hex");
  const headers = { "x-service-signature": signature };
  const { status } = await checkout.receiver.handle({ method: "POST", headers, body });
  expect(status).toBe(200);
}

it("the goods of an order do not wait for an onPaid that hangs", async () => {
  const sandbox = newSandbox();
  const begun: string[] = [];
  const onPaid = ({ id }: { id: string }) => {
    begun.push(id);
    return id === "O-0" ? new Promise<void>(() => {}) : undefined;
  };
  const shop = openShop(sandbox, memory().checkout(), { onPaid });
  await payOrders(shop, 3);
  await shop.checkout.start();
  await complete(shop, sandbox, "O-0");
  await expect.poll(() => begun).toEqual(["O-0"]);
  for (const id of ["O-1", "O-2"]) await complete(shop, sandbox, id);
  await expect.poll(() => begun.toSorted()).toEqual(["O-0", "O-1", "O-2"]);
});

it("the goods do not wait for reads that hang, however many", async () => {
  const sandbox = newSandbox();
  const clock = testClock();
  let hanging = 0;
  const fetch = (url: string, init: RequestInit) => {
    if (init.method !== "GET") return sandbox.fetch(url, init);
    hanging++;
    return new Promise<Response>(() => {});
  };
  const shop = openShop(sandbox, memory({ now: clock.now }).checkout(), { fetch });
  await payOrders(shop, 40);
  clock.advance(60_000);
  await shop.checkout.start();
  await expect.poll(() => hanging).toBeGreaterThan(0);
  await complete(shop, sandbox, "O-39");
  await expect.poll(() => shop.given).toEqual(["O-39"]);
});

it("the goods do not wait for reads of orders that are paid, however many", async () => {
  const sandbox = newSandbox();
  const clock = testClock();
  let isAway = false;
  let hanging = 0;
  const fetch = (url: string, init: RequestInit) => {
    if (!isAway || init.method !== "GET") return sandbox.fetch(url, init);
    hanging++;
    return new Promise<Response>(() => {});
  };
  const shop = openShop(sandbox, memory({ now: clock.now }).checkout(), { fetch });
  await payOrders(shop, 20);
  for (let at = 0; at < 20; at++) sandbox.phone(`07120000${10 + at}`).cancel();
  clock.advance(10_000);
  await shop.checkout.reconcile();
  for (let at = 0; at < 20; at++) {
    const phone = `07120000${10 + at}`;
    await shop.checkout.pay({ ...ORDER, id: `O-${at}`, phone }, { after: 1 });
    await complete(shop, sandbox, `O-${at}`, 1);
  }
  await shop.checkout.reconcile();
  expect(shop.given).toHaveLength(20);
  // Their failed attempts are read again, and the service does not respond.
  clock.advance(10 * 60_000);
  isAway = true;
  await shop.checkout.pay({ ...ORDER, id: "LAST" });
  await shop.checkout.start();
  await expect.poll(() => hanging).toBeGreaterThan(0);
  await complete(shop, sandbox, "LAST");
  await expect.poll(() => shop.given).toContain("LAST");
});

it("more orders than are worked on at a time are all worked on", async () => {
  const sandbox = newSandbox();
  const shop = openShop(sandbox, memory().checkout());
  await payOrders(shop, 80);
  await shop.checkout.start();
  await Promise.all(Array.from({ length: 80 }, (_, at) => complete(shop, sandbox, `O-${at}`)));
  await expect.poll(() => new Set(shop.given).size).toBe(80);
  expect(shop.given).toHaveLength(80);
});
