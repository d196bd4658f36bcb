// A merchant's tests: msw replaces the network by a sandbox gateway.
import { Gateway, type GatewayOptions } from "malipo";
import { gatewayHandlers } from "malipo/msw";
import { createSandbox, MAGIC_SUFFIXES } from "malipo/sandbox";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { checkout } from "./checkout.ts";

const sandbox = createSandbox();
const server = setupServer(...gatewayHandlers(sandbox));
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => sandbox.reset());
afterAll(() => server.close());

const gateway = (options: GatewayOptions = {}) =>
  new Gateway({ apiKey: sandbox.keys.secret, baseUrl: sandbox.baseUrl, ...options });
const order = { id: "ORDER-42", amount: 1500, phone: "0712345678" };

/** The customer acts when the prompt appears. */
async function customer(act: "approve" | "cancel"): Promise<void> {
  const phone = sandbox.phone(order.phone);
  await expect.poll(() => phone.prompt).toBeDefined();
  phone[act]();
}

test("thanks the customer who enters the PIN", async () => {
  const [message] = await Promise.all([checkout(gateway(), order), customer("approve")]);
  expect(message).toBe("Paid. Thank you!");
});

test("prompts once, however often the button is pressed", async () => {
  const shop = gateway();
  const presses = [checkout(shop, order), checkout(shop, order), checkout(shop, order)];
  await Promise.all([...presses, customer("approve")]);
  expect((await shop.payments.list()).items).toHaveLength(1);
});

test("says why it was not paid", async () => {
  sandbox.phone(order.phone).setBalance("10.00");
  const [message] = await Promise.all([checkout(gateway(), order), customer("approve")]);
  expect(message).toMatch(/^Not paid: .*money/);
});

test("finds the payment when the response was lost", async () => {
  sandbox.faults.add({
    match: { endpoint: "mobileMoney.initiate" },
    effect: { kind: "lostResponse" },
  });
  const [message] = await Promise.all([checkout(gateway(), order), customer("approve")]);
  expect(message).toBe("Paid. Thank you!");
});

test("asks the customer not to pay again if the outcome is unknown", async () => {
  sandbox.faults.add({ match: { endpoint: "mobileMoney.initiate" }, effect: { kind: "reset" } });
  // A shorter limit of the call, so that collect() sooner stops looking for the payment.
  expect(await checkout(gateway({ totalTimeoutMs: 500 }), order)).toBe("Please do not pay again.");
});

test("says that nothing was charged when the service rejects the payment", async () => {
  const amount = 1_000_000; // past the network's limit
  expect(await checkout(gateway(), { ...order, amount })).toMatch(/^You were not charged/);
});

test("can use magic numbers", () => {
  expect(MAGIC_SUFFIXES.approve).toMatch(/^\d{3}$/);
});
