// A merchant's tests: the network is mocked by msw, and behind it is a whole gateway.
import { Gateway } from "malipo";
import { gatewayHandlers } from "malipo/msw";
import { createSandbox, MAGIC_SUFFIXES } from "malipo/sandbox";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { checkout } from "./checkout.ts";

const sandbox = createSandbox({ clock: "real" });
const server = setupServer(...gatewayHandlers(sandbox));
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => sandbox.reset());
afterAll(() => server.close());

const gateway = () => new Gateway({ apiKey: sandbox.keys.secret, baseUrl: sandbox.baseUrl });
const order = { id: "ORDER-42", amount: 1500, phone: "0712345678" };

test("says thank you to whoever enters the PIN", async () => {
  sandbox.phone(order.phone).always("approve");
  expect(await checkout(gateway(), order)).toBe("Paid. Thank you!");
});

test("prompts once, however often the button is pressed", async () => {
  sandbox.phone(order.phone).always("approve");
  const shop = gateway();
  await Promise.all([checkout(shop, order), checkout(shop, order), checkout(shop, order)]);
  expect((await shop.payments.list()).items).toHaveLength(1);
});

test("says why it was not paid", async () => {
  sandbox.phone(order.phone).setBalance("10.00");
  sandbox.phone(order.phone).always("approve");
  expect(await checkout(gateway(), order)).toMatch(/^Not paid: .*money/);
});

test("asks nobody to pay again whose answer was lost", async () => {
  sandbox.faults.add({
    match: { endpoint: "mobileMoney.initiate" },
    effect: { kind: "lostResponse" },
  });
  expect(await checkout(gateway(), order)).toBe("Please do not pay again.");
});

test("says that nothing was charged where the service is refusing", async () => {
  const amount = 1_000_000; // past the network's limit
  expect(await checkout(gateway(), { ...order, amount })).toMatch(/^You were not charged/);
});

test("knows the numbers that act by themselves", () => {
  expect(MAGIC_SUFFIXES.approve).toMatch(/^\d{3}$/);
});
