import { describe, expect, it } from "vitest";
import { ORDER } from "../checkout/stage.ts";
import {
  completed,
  deliver,
  MINUTE_MS,
  promptsWith,
  referenceOf,
  type suiteStage,
} from "./checkout-stage.ts";

type Stage = () => ReturnType<typeof suiteStage>;

/** An order that grows or shrinks until it is paid. */
export function checkoutUpdates(name: string, stage: Stage): void {
  /** A shop, and the amounts that its prompts ask for. */
  const asking = async () => {
    const on = await stage();
    const asked: unknown[] = [];
    const shop = on.open({
      publicMetadata: ["cups"],
      fetch: async (url, init) => {
        if (url.includes("payment/initiate")) asked.push(JSON.parse(String(init.body)).amount);
        return on.sandbox.fetch(url, init);
      },
    });
    const cancel = async () => {
      await on.customer("cancel");
      await on.later(10_000, shop.checkout);
    };
    return { ...on, ...shop, asked, cancel };
  };

  describe(`${name}: an order that changes`, () => {
    it("grows after a canceled prompt, and the next prompt asks for the new amount", async () => {
      const { checkout, asked, cancel, given, customer, later } = await asking();
      await checkout.pay(ORDER);
      await cancel();
      const grown = await checkout.update(ORDER.id, { amount: 1800, metadata: { cups: 2 } });
      expect(grown).toMatchObject({ amount: "1800.00", due: "1800.00", metadata: { cups: 2 } });
      await checkout.pay({ ...ORDER, amount: 1800 });
      await customer("approve");
      await later(10_000, checkout);
      expect(asked).toEqual([1500, 1800]);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        ...{ status: "paid", amount: "1800.00", received: "1800.00", due: "0.00", reviews: [] },
      });
      expect(given).toEqual([ORDER.id]);
    });

    it("asks for the rest, if the old prompt is paid after the order has grown", async () => {
      const { checkout, sandbox, asked, cancel, given, later } = await asking();
      const order = await checkout.pay(ORDER);
      await cancel();
      await checkout.update(ORDER.id, { amount: "1800.00" });
      await deliver(checkout, sandbox, "payment.completed", completed(order, referenceOf(order)));
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        ...{ status: "open", canPay: true, received: "1500.00", due: "300.00", reviews: [] },
      });
      const more = await checkout.pay({ ...ORDER, amount: 1800 });
      expect(asked).toEqual([1500, 300]);
      const rest = completed(more, referenceOf(more, 2), { amount: "300.00" });
      await deliver(checkout, sandbox, "payment.completed", rest);
      await later(0, checkout);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        ...{ status: "paid", received: "1800.00", due: "0.00", reviews: [] },
      });
      expect(given).toEqual([ORDER.id]);
    });

    it("is paid if it shrinks to what has come, and more than it is a review", async () => {
      const { checkout, sandbox, cancel, given, later } = await asking();
      const order = await checkout.pay(ORDER);
      await cancel();
      await checkout.update(ORDER.id, { amount: 1800 });
      await deliver(checkout, sandbox, "payment.completed", completed(order, referenceOf(order)));
      const shrunk = await checkout.update(ORDER.id, { amount: 1200 });
      const review = { kind: "overpaid", amount: "300.00", references: [referenceOf(order)] };
      expect(shrunk).toMatchObject({ status: "paid", due: "0.00" });
      expect(await checkout.reviews.list()).toMatchObject([review]);
      // The same call again changes nothing.
      expect(await checkout.update(ORDER.id, { amount: 1200 })).toMatchObject({ status: "paid" });
      const [{ id = "" } = {}] = await checkout.reviews.list();
      const accepted = checkout.reviews.resolve(id, "accept");
      await expect(accepted).rejects.toMatchObject({ code: "order_paid" });
      await checkout.reviews.resolve(id, "refunded");
      await later(0, checkout);
      // What was paid back is only what was more than the order: its goods are given.
      expect(await checkout.get(ORDER.id)).toMatchObject({ received: "1200.00", effect: "done" });
      expect(given).toEqual([ORDER.id]);
    });

    it("does not change while a phone is asked, and says until when", async () => {
      const { checkout, clock, cancel } = await asking();
      await checkout.pay(ORDER);
      const busy = await checkout.update(ORDER.id, { amount: 1 }).catch((error: unknown) => error);
      expect(busy).toMatchObject({ code: "order_busy", outcome: "not_sent", orderId: ORDER.id });
      const until = (busy as { until: Date }).until.getTime();
      expect(until).toBeGreaterThan(clock.now());
      expect(until).toBeLessThan(clock.now() + 5 * MINUTE_MS);
      await cancel();
      expect(await checkout.update(ORDER.id, { amount: 1 })).toMatchObject({ amount: "1.00" });
    });

    it("does not change while it is not known whether a phone was asked", async () => {
      const { open, sandbox, clock } = await stage();
      const lost = async () => {
        throw new TypeError("fetch failed");
      };
      const { checkout } = open({ fetch: promptsWith(sandbox, lost) });
      await checkout.pay(ORDER);
      const busy = await checkout.update(ORDER.id, { amount: 1 }).catch((error: unknown) => error);
      expect(busy).toMatchObject({ code: "order_busy" });
      expect((busy as { until: Date }).until.getTime()).toBeGreaterThan(clock.now());
    });

    it("does not change after it is paid or over", async () => {
      const { checkout, sandbox } = await asking();
      const order = await checkout.pay(ORDER);
      await deliver(checkout, sandbox, "payment.completed", completed(order, referenceOf(order)));
      const paid = checkout.update(ORDER.id, { amount: 1800 });
      await expect(paid).rejects.toMatchObject({ code: "order_conflict", orderId: ORDER.id });
      await checkout.create({ id: "OVER", amount: 1 });
      await checkout.cancel("OVER");
      const over = checkout.update("OVER", { description: "one more" });
      await expect(over).rejects.toMatchObject({ code: "order_conflict", orderId: "OVER" });
    });

    it("is undefined if there is none, and takes nothing but an amount, a description and metadata", async () => {
      const { checkout } = await asking();
      expect(await checkout.update("NONE", { amount: 1 })).toBeUndefined();
      await checkout.create({ id: "O", amount: 1 });
      const wrong: readonly object[] = [
        { amount: 0 },
        { amount: -1 },
        { amount: "1.001" },
        { description: 1 },
        { metadata: "x" },
        { currency: "UGX" },
        { accountReference: "B" },
      ];
      for (const changes of wrong) {
        const [field] = Object.keys(changes);
        await expect(checkout.update("O", changes)).rejects.toMatchObject({
          ...{ code: "invalid_params", issues: [{ path: [field] }] },
        });
      }
    });

    it("`pay` with another amount is a conflict, and names `update`", async () => {
      const { checkout } = await asking();
      await checkout.create(ORDER);
      const other = checkout.pay({ ...ORDER, amount: 1 });
      await expect(other).rejects.toMatchObject({
        code: "order_conflict",
        message: expect.stringContaining("checkout.update("),
      });
    });

    it("one of two changes at the same moment is the last one, and none is lost", async () => {
      const { open } = await stage();
      const [one, other] = [open().checkout, open().checkout];
      await one.create(ORDER);
      await Promise.all([
        one.update(ORDER.id, { amount: 1600 }),
        other.update(ORDER.id, { description: "two cups" }),
        other.update(ORDER.id, { metadata: { cups: 2 } }),
      ]);
      const order = await one.inspect(ORDER.id);
      expect(order).toMatchObject({ amount: "1600.00", metadata: { cups: 2 } });
      const texts = (await other.history(ORDER.id)).map(({ text }) => text);
      expect(texts).toContain("The order was changed: KES 1,600.00, before KES 1,500.00.");
      expect(texts.join()).toContain("description");
    });
  });
}
