import { describe, expect, it } from "vitest";
import { ORDER } from "../checkout/stage.ts";
import { completed, deliver, promptsWith, referenceOf, type suiteStage } from "./checkout-stage.ts";

type Stage = () => ReturnType<typeof suiteStage>;

/** Money that comes in parts: a customer types the label of his order, and any amount. */
export function checkoutParts(name: string, stage: Stage): void {
  /** A shop, and customers who pay by hand. */
  const paybill = async (options: Parameters<Awaited<ReturnType<Stage>>["open"]>[0] = {}) => {
    const on = await stage();
    const shop = on.open(options);
    /** A payment by hand, with the label of an order. Resolves with the order after it. */
    const send = async (id: string, reference: string, amount: string, more: object = {}) => {
      const order = await shop.checkout.get(id);
      if (order === undefined) throw new Error(`There is no order ${id}.`);
      const event = completed(order, reference, { amount, ...more });
      await deliver(shop.checkout, on.sandbox, "payment.completed", event);
      return shop.checkout.inspect(id);
    };
    return { ...on, ...shop, send };
  };

  describe(`${name}: money in parts`, () => {
    it("counts, and the order is paid when its amount has come", async () => {
      const { checkout, send, given, later } = await paybill();
      await checkout.create(ORDER);
      expect(await send(ORDER.id, "ONE", "500.00")).toMatchObject({
        ...{ status: "open", canPay: true, received: "500.00", due: "1000.00", reviews: [] },
        message: "We received KES 500.00 of KES 1500.00. KES 1000.00 is left to pay.",
        messageCode: "part_received",
      });
      // The same webhook again.
      expect(await send(ORDER.id, "ONE", "500.00")).toMatchObject({ received: "500.00" });
      expect(await send(ORDER.id, "TWO", "1000.00")).toMatchObject({
        ...{ status: "paid", received: "1500.00", due: "0.00", reviews: [] },
      });
      await later(0, checkout);
      expect(given).toEqual([ORDER.id]);
    });

    it("KES 1 of a stranger keeps nobody from paying, and the prompt asks for the rest", async () => {
      const { checkout, gateway, send, given, later } = await paybill();
      await checkout.create(ORDER);
      await send(ORDER.id, "STRANGER", "1.00");
      const order = await checkout.pay(ORDER);
      expect(order).toMatchObject({ status: "pending", due: "1499.00" });
      const asked = await gateway.payments.get(referenceOf(order));
      expect(Number(asked.amount)).toBe(1499);
      expect(await send(ORDER.id, referenceOf(order), "1499.00")).toMatchObject({
        ...{ status: "paid", received: "1500.00", reviews: [] },
      });
      await later(0, checkout);
      expect(given).toEqual([ORDER.id]);
    });

    it("more than the amount pays the order, and what is more is a review", async () => {
      const { checkout, send, given, later } = await paybill();
      await checkout.create(ORDER);
      await send(ORDER.id, "ONE", "1000.00");
      const paid = await send(ORDER.id, "TWO", "700.00");
      const review = { kind: "overpaid", references: ["TWO"], amount: "200.00" };
      expect(paid).toMatchObject({ status: "paid", received: "1700.00", reviews: [review] });
      await checkout.reviews.resolve(paid?.reviews[0]?.id ?? "", "refunded");
      await later(0, checkout);
      expect(await checkout.get(ORDER.id)).toMatchObject({ received: "1500.00", effect: "done" });
      expect(await checkout.refunds.list(ORDER.id)).toMatchObject([{ amount: "200.00" }]);
      expect(given).toEqual([ORDER.id]);
    });

    it("beyond the amount is noted as paid back once, by its review or without it", async () => {
      const { checkout, send } = await paybill();
      await checkout.create(ORDER);
      const paid = await send(ORDER.id, "ONE", "1700.00");
      const [{ id = "" } = {}] = paid?.reviews ?? [];
      await checkout.refunds.add(ORDER.id, { amount: 200, by: "Amina" });
      await expect(checkout.reviews.resolve(id, "refunded")).rejects.toMatchObject({
        code: "review_decided",
      });
      expect(await checkout.inspect(ORDER.id)).toMatchObject({ received: "1500.00", reviews: [] });
    });

    it("of which a part was paid back is asked for again", async () => {
      const { checkout, send, given, later } = await paybill();
      await checkout.create(ORDER);
      await send(ORDER.id, "ONE", "1000.00");
      await checkout.refunds.add(ORDER.id, { amount: 400, by: "Amina" });
      expect(await checkout.get(ORDER.id)).toMatchObject({ received: "600.00", due: "900.00" });
      expect(await send(ORDER.id, "TWO", "500.00")).toMatchObject({
        status: "open",
        due: "400.00",
      });
      expect(await send(ORDER.id, "THREE", "400.00")).toMatchObject({ status: "paid" });
      await later(0, checkout);
      expect(given).toEqual([ORDER.id]);
    });

    it("that comes while a phone is asked counts, too", async () => {
      const { checkout, send } = await paybill();
      const order = await checkout.pay(ORDER);
      expect(await send(ORDER.id, "HAND", "500.00")).toMatchObject({ status: "pending" });
      const paid = await send(ORDER.id, referenceOf(order), "1500.00");
      expect(paid).toMatchObject({
        ...{ status: "paid", received: "2000.00" },
        reviews: [{ kind: "overpaid", amount: "500.00" }],
      });
    });

    it("another amount of our own attempt is a review, which keeps the customer from paying", async () => {
      const { checkout, send } = await paybill();
      const order = await checkout.pay(ORDER);
      expect(await send(ORDER.id, referenceOf(order), "900.00")).toMatchObject({
        ...{ status: "pending", canPay: false, due: "1500.00" },
        reviews: [{ kind: "amount_mismatch", amount: "900.00" }],
      });
    });

    it("another amount of our own attempt is a review, if its webhook comes before the response", async () => {
      const on = await stage();
      const other = on.open();
      const fetch = promptsWith(on.sandbox, async (send) => {
        const response = await send();
        const { data } = (await response.clone().json()) as { data: { reference: string } };
        const order = await other.checkout.get(ORDER.id);
        const event = completed(order as never, data.reference, { amount: "900.00" });
        await deliver(other.checkout, on.sandbox, "payment.completed", event);
        return response;
      });
      expect(await on.open({ fetch }).checkout.pay(ORDER)).toMatchObject({
        ...{ status: "pending", canPay: false, due: "1500.00" },
      });
      expect(await other.checkout.reviews.list()).toMatchObject([
        { kind: "amount_mismatch", amount: "900.00" },
      ]);
    });

    it("for an order that then ends is to be paid back, each part", async () => {
      const { checkout, clock, send, later } = await paybill();
      await checkout.create({ id: "CANCELED", amount: 100 });
      await send("CANCELED", "ONE", "30.00");
      await send("CANCELED", "TWO", "20.00");
      const expiresAt = new Date(clock.now() + 1_000);
      await checkout.create({ id: "EXPIRED", amount: 100, expiresAt });
      await send("EXPIRED", "THREE", "10.00");
      await checkout.cancel("CANCELED");
      await later(2_000, checkout);
      const reviews = await checkout.reviews.list();
      expect(reviews.map(({ kind, references, amount }) => [kind, references, amount])).toEqual([
        ["refund_due", ["ONE"], "30.00"],
        ["refund_due", ["TWO"], "20.00"],
        ["refund_due", ["THREE"], "10.00"],
      ]);
      expect(await checkout.get("EXPIRED")).toMatchObject({ status: "expired", due: "0.00" });
      for (const { id } of reviews) await checkout.reviews.resolve(id, "refunded");
      expect(await checkout.inspect("CANCELED")).toMatchObject({ received: "0.00", reviews: [] });
    });

    it("is a review that blocks nobody, if the merchant wants to see it", async () => {
      const { checkout, send, given, later } = await paybill({ partPayments: "review" });
      await checkout.create(ORDER);
      expect(await send(ORDER.id, "HAND", "500.00")).toMatchObject({
        ...{ status: "open", canPay: true, received: "500.00", due: "1500.00" },
        reviews: [{ kind: "amount_mismatch", amount: "500.00" }],
      });
      const order = await checkout.pay(ORDER);
      expect(await send(ORDER.id, referenceOf(order), "1500.00")).toMatchObject({ status: "paid" });
      await checkout.create({ id: "SHIPPED", amount: 100 });
      const held = await send("SHIPPED", "LESS", "90.00");
      await checkout.reviews.resolve(held?.reviews[0]?.id ?? "", "accept");
      await later(0, checkout);
      expect(given.sort()).toEqual([ORDER.id, "SHIPPED"]);
    });

    it("in another currency, or of an amount that is none, is a review as before", async () => {
      const { checkout, send } = await paybill();
      await checkout.create({ id: "UGX", amount: 100 });
      expect(await send("UGX", "A", "30.00", { currency: "UGX" })).toMatchObject({
        ...{ canPay: false, due: "100.00", reviews: [{ kind: "currency_mismatch" }] },
      });
      await checkout.create({ id: "NONE", amount: 100 });
      expect(await send("NONE", "B", "many")).toMatchObject({
        ...{ canPay: false, due: "100.00", reviews: [{ kind: "amount_mismatch" }] },
      });
    });

    it("is stored in the order at most 50 times, and then on its own", async () => {
      const { checkout, send, store } = await paybill();
      await checkout.create({ id: "O", amount: 100 });
      for (let at = 1; at <= 52; at++) await send("O", `P-${at}`, "1.00");
      // The same webhook again is no further review.
      const order = await send("O", "P-52", "1.00");
      expect(order).toMatchObject({ received: "50.00", due: "50.00", canPay: true, reviews: [] });
      expect((await store.read("O")).stored?.order.money).toHaveLength(50);
      expect((await checkout.reviews.list()).map(({ id }) => id)).toEqual([
        "unmatched:P-51",
        "unmatched:P-52",
      ]);
      // A payment of an attempt is always taken.
      const asked = await checkout.pay({ ...ORDER, id: "O", amount: 100 });
      expect(await send("O", referenceOf(asked), "50.00")).toMatchObject({ status: "paid" });
    });
  });
}
