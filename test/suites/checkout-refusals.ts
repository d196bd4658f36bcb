import { describe, expect, it } from "vitest";
import { ORDER } from "../checkout/stage.ts";
import { completed, deliver, MINUTE_MS, referenceOf, type suiteStage } from "./checkout-stage.ts";

type Stage = () => ReturnType<typeof suiteStage>;

/** A shop refuses money that came. */
export function checkoutRefusals(name: string, stage: Stage): void {
  /** An order that is paid, whose seat may be gone. */
  const refusing = async () => {
    const on = await stage();
    const seat = { isGone: true };
    const calls: number[] = [];
    const changes: string[] = [];
    const shop = on.open({
      onPaid: async (_, { transaction, refuse, attempt }) => {
        calls.push(attempt);
        if (seat.isGone) return refuse("The seat is gone.");
        return transaction(() => {});
      },
      onChange: ({ by, line }) => changes.push(`${by}: ${line}`),
    });
    const { checkout } = shop;
    const order = await checkout.pay(ORDER);
    const event = completed(order, referenceOf(order));
    await deliver(checkout, on.sandbox, "payment.completed", event);
    await on.later(0, checkout);
    const pass = async () => {
      for (let times = 0; times < 3; times++) await on.later(10 * MINUTE_MS, checkout);
    };
    const id = `${ORDER.id}:refund_due:${referenceOf(order)}`;
    return { ...on, ...shop, seat, calls, changes, pass, event, id };
  };

  describe(`${name}: money that onPaid refuses`, () => {
    it("is a review at once, and the customer reads that it is paid back", async () => {
      const { checkout, calls, changes, pass, id, errors } = await refusing();
      await pass();
      expect(calls).toEqual([1]);
      const order = await checkout.inspect(ORDER.id);
      expect(order).toMatchObject({
        ...{ status: "paid", effect: "refused", canPay: false, received: "1500.00" },
        message: expect.stringMatching(/received your payment.*will pay your money back/),
        reviews: [{ id, kind: "refund_due", amount: "1500.00" }],
      });
      expect(order?.reviews[0]?.message).toBe(
        "The money of this payment is to be paid back. onPaid refused it: The seat is gone. The goods were not given.",
      );
      expect((await checkout.list({ goodsDue: true })).items).toEqual([]);
      expect(changes.at(-1)).toMatch(/^effect_refused: .*goods refused/);
      const texts = (await checkout.history(ORDER.id)).map(({ text }) => text);
      expect(texts.slice(-2)).toEqual([
        "onPaid refused the money: The seat is gone.",
        "Review: The money of this payment is to be paid back.",
      ]);
      expect(errors).toEqual([]);
    });

    it("is not thanked for by the route of the status", async () => {
      const { checkout } = await refusing();
      const request = new Request(`http://shop/orders/${ORDER.id}`);
      const response = await checkout.statusHandler()(request);
      expect(await response.json()).toMatchObject({
        status: "failed",
        user_message: expect.stringContaining("pay your money back"),
        message_code: "refused",
        retry_possible: false,
      });
      await checkout.refunds.add(ORDER.id, { amount: ORDER.amount, by: "Amina" });
      const later = await checkout.statusHandler()(request);
      expect(await later.json()).toMatchObject({ status: "failed", message_code: "paid_back" });
    });

    it("that was paid back ends the order", async () => {
      const { checkout, calls, pass, id, seat } = await refusing();
      await checkout.reviews.resolve(id, "refunded", { by: "Amina" });
      seat.isGone = false;
      await pass();
      expect(calls).toEqual([1]);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        ...{ effect: "refunded", received: "0.00", reviews: [] },
        message: expect.stringContaining("paid it back"),
      });
    });

    it("that a person accepts is for the goods, which may be refused again", async () => {
      const { checkout, calls, pass, id, seat } = await refusing();
      await checkout.reviews.resolve(id, "accept", { by: "Amina" });
      await pass();
      expect(calls).toEqual([1, 2]);
      const [again] = await checkout.reviews.list();
      expect(again).toMatchObject({ id: `${id}:2`, kind: "refund_due" });
      seat.isGone = false;
      await checkout.reviews.resolve(`${id}:2`, "accept", { by: "Amina" });
      await pass();
      expect(calls).toEqual([1, 2, 3]);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({ effect: "done", reviews: [] });
    });

    it("by a process that hung is not refused after another one has given the goods", async () => {
      const on = await stage();
      let resume = () => {};
      const held = new Promise<void>((resolve) => {
        resume = resolve;
      });
      let noteCall = () => {};
      const isCalled = new Promise<void>((resolve) => {
        noteCall = resolve;
      });
      const slow = on.open({
        onPaid: async (_, { refuse }) => {
          noteCall();
          await held;
          return refuse("The seat is gone.");
        },
      });
      const other = on.open();
      const order = await slow.checkout.pay(ORDER);
      const event = completed(order, referenceOf(order));
      await deliver(slow.checkout, on.sandbox, "payment.completed", event);
      const hanging = on.later(0, slow.checkout);
      await isCalled;
      await on.later(4 * MINUTE_MS, other.checkout);
      resume();
      await hanging;
      expect(other.given).toEqual([ORDER.id]);
      expect(await other.checkout.inspect(ORDER.id)).toMatchObject({ effect: "done", reviews: [] });
      expect(slow.errors.map(String)).toEqual([expect.stringContaining("not due any more")]);
    });

    it("without a reason, or with one that no store takes, is refused all the same", async () => {
      const on = await stage();
      for (const reason of [undefined, 7, `0712345678 \0 ${"x".repeat(1_000)}`]) {
        const { checkout } = on.open({ onPaid: (_, { refuse }) => refuse(reason as string) });
        const id = `ORDER-${typeof reason}`;
        const order = await checkout.create({ id, amount: 10 });
        await deliver(checkout, on.sandbox, "payment.completed", completed(order, `PAY-${id}`));
        await on.later(0, checkout);
        const refused = await checkout.inspect(id);
        expect(refused).toMatchObject({ effect: "refused", reviews: [{ kind: "refund_due" }] });
        expect(refused?.reviews[0]?.message.length).toBeLessThan(700);
        expect(refused?.reviews[0]?.message).not.toContain("0712345678");
      }
    });

    it("is one order of two processes: a second payment of it is another review", async () => {
      const { checkout, sandbox, open, event, pass } = await refusing();
      const other = open();
      await deliver(other.checkout, sandbox, "payment.completed", event);
      await deliver(other.checkout, sandbox, "payment.completed", {
        ...event,
        reference: "TWO",
        payment_id: 9,
      });
      await pass();
      expect(other.given).toEqual([]);
      const kinds = (await checkout.reviews.list()).map(({ kind }) => kind);
      expect(kinds).toEqual(["refund_due", "overpaid"]);
    });
  });
}
