import { memory } from "malipo";
import { expect, it } from "vitest";
import { newSandbox, ORDER, openShop, PHONE, testClock } from "./stage.ts";

it("an order goes from open to paid, and its goods are given once, with all webhooks lost", async () => {
  const sandbox = newSandbox();
  const clock = testClock();
  const { checkout, given, errors } = openShop(sandbox, memory({ now: clock.now }).checkout());
  const asked = await checkout.pay(ORDER);
  expect(errors).toEqual([]);
  expect(asked).toMatchObject({
    status: "pending",
    canPay: false,
    effect: "none",
    received: "0.00",
  });
  expect(asked.attempts).toMatchObject([{ number: 1, status: "pending", phone: "0712 *** 678" }]);
  sandbox.phone(PHONE).approve();
  await sandbox.clock.advance("10s");
  clock.advance(10_000);
  await checkout.reconcile();
  expect(errors).toEqual([]);
  expect(await checkout.get(ORDER.id)).toMatchObject({
    status: "paid",
    effect: "done",
    received: "1500.00",
  });
  expect(given).toEqual([ORDER.id]);
});
