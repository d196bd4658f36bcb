import type { Checkout, NewRefund } from "malipo/checkout";
import { describe, expect, it } from "vitest";
import { ORDER } from "../checkout/stage.ts";
import { completed, deliver, MINUTE_MS, type suiteStage } from "./checkout-stage.ts";

type Stage = () => ReturnType<typeof suiteStage>;

const BY = "Amina";

/** People pay money back. */
export function checkoutRefunds(name: string, stage: Stage): void {
  /** An order of 100 with payments. */
  const paid = async (
    amounts: readonly string[] = ["100.00"],
    isBroken = false,
    partPayments: "count" | "review" = "review",
  ) => {
    const on = await stage();
    const onPaid = () => {
      throw new Error("There are no tickets.");
    };
    const shop = on.open({ partPayments, ...(isBroken && { onPaid }) });
    const { checkout } = shop;
    const order = await checkout.create({ id: "O", amount: 100 });
    for (const [at, amount] of amounts.entries()) {
      await deliver(
        checkout,
        on.sandbox,
        "payment.completed",
        completed(order, `P${at}`, { amount }),
      );
    }
    await on.later(0, checkout);
    return { ...on, ...shop, order };
  };
  const add = (checkout: Checkout, more: Partial<NewRefund> = {}) =>
    checkout.refunds.add("O", { amount: 40, by: BY, ...more });

  describe(`${name}: money that is paid back`, () => {
    it("is noted, also in parts, and never more than came", async () => {
      const { checkout, given } = await paid();
      const first = await add(checkout, { reference: "RB1", reason: "One seat less." });
      expect(first).toMatchObject({
        ...{ status: "paid", effect: "done", received: "60.00" },
        payments: [{ isRefunded: false }],
        refunds: [{ amount: "40.00", currency: "KES", reference: "RB1", by: BY }],
      });
      // What a customer may see has no words for staff.
      expect(JSON.stringify(await checkout.get("O"))).not.toMatch(/Amina|One seat less/);
      await expect(add(checkout, { amount: "60.01" })).rejects.toMatchObject({
        ...{ code: "invalid_params", outcome: "not_sent" },
        message:
          'refunds.add: `amount` is invalid: 60.01 KES is more than the 60.00 KES that came for the order "O" and was not paid back. Nothing was changed.',
      });
      expect(await add(checkout, { amount: "60.00", by: "Brian" })).toMatchObject({
        ...{ effect: "done", received: "0.00" },
        payments: [{ isRefunded: true }],
      });
      expect(await checkout.refunds.list("O")).toMatchObject([
        { amount: "40.00", by: BY, reason: "One seat less.", reference: "RB1", payments: [] },
        { amount: "60.00", by: "Brian", payments: ["P0"] },
      ]);
      expect(given).toEqual(["O"]);
      const history = await checkout.history("O");
      expect(history.slice(-2)).toMatchObject([
        { text: "KES 40.00 was noted as paid back (RB1): One seat less.", by: BY },
        { text: "KES 60.00 was noted as paid back.", by: "Brian" },
      ]);
      const lines = (await checkout.decisions.read()) as {
        state: string;
        by: string;
        about: string;
      }[];
      expect(lines.filter(({ state }) => state === "done")).toMatchObject([
        { by: BY, about: "O" },
        { by: "Brian", about: "O" },
      ]);
    });

    it("with a known reference is the same refund; with another amount it is rejected", async () => {
      const { checkout } = await paid();
      const first = await add(checkout, { reference: "RB1" });
      expect(await add(checkout, { reference: " RB1 " })).toEqual(first);
      expect(await checkout.decisions.read()).toHaveLength(3);
      await expect(add(checkout, { reference: "RB1", amount: 50 })).rejects.toMatchObject({
        ...{ code: "order_conflict", orderId: "O" },
        message: expect.stringContaining('has a refund "RB1" of 40.00 KES, not of 50.00'),
      });
      expect(await checkout.inspect("O")).toEqual(first);
    });

    it("by two people at the same moment is never more than came, ten times of ten", async () => {
      const { checkout, open } = await paid(["100.00", ...Array(9).fill("100.00")]);
      const other = open().checkout;
      for (let round = 0; round < 10; round++) {
        const left = Number((await checkout.get("O"))?.received);
        const ends = await Promise.allSettled([
          add(checkout, { amount: left - 30 }),
          add(other, { amount: left - 30, by: "Brian" }),
          add(checkout, { amount: 20, reference: `RB${round}` }),
          add(other, { amount: 20, reference: `RB${round}`, by: "Brian" }),
        ]);
        expect(ends.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(1);
        const sum = (await checkout.refunds.list("O")).reduce(
          (all, one) => all + Number(one.amount),
          0,
        );
        expect(sum).toBeLessThanOrEqual(1_000);
        const references = (await checkout.refunds.list("O")).map(({ reference }) => reference);
        expect(references.filter((one) => one === `RB${round}`)).toHaveLength(1);
        if (Number((await checkout.get("O"))?.received) < 50) break;
      }
    });

    it("ends goods that are due, if all of it was", async () => {
      const { checkout, later } = await paid(["100.00"], true);
      expect(await add(checkout)).toMatchObject({ effect: "due" });
      expect(await add(checkout, { amount: 60 })).toMatchObject({ effect: "refunded" });
      for (let times = 0; times < 3; times++) await later(10 * MINUTE_MS, checkout);
      expect(await checkout.inspect("O")).toMatchObject({ effect: "refunded", reviews: [] });
    });

    it("by a review is noted once, under the name of who decided it", async () => {
      const { checkout } = await paid(["100.00", "100.00"]);
      await checkout.reviews.resolve("O:overpaid:P1", "refunded", { by: BY });
      expect(await checkout.refunds.list("O")).toMatchObject([
        { amount: "100.00", by: BY, payments: ["P1"] },
      ]);
      expect(await checkout.inspect("O")).toMatchObject({ received: "100.00", reviews: [] });
      await expect(add(checkout, { amount: 101 })).rejects.toMatchObject({
        code: "invalid_params",
      });
    });

    it("by a review has its reference and its reason, also in the history and the log", async () => {
      const { checkout } = await paid(["100.00", "100.00"]);
      const said = { by: BY, reference: "RB1", reason: "Paid twice" };
      await checkout.reviews.resolve("O:overpaid:P1", "refunded", said);
      expect(await checkout.refunds.list("O")).toMatchObject([{ ...said, payments: ["P1"] }]);
      expect((await checkout.history("O")).at(-1)).toMatchObject({
        text: expect.stringMatching(/ KES 100\.00 \(P1\)\. Refund: RB1\. Reason: Paid twice$/),
      });
      expect((await checkout.decisions.read()).at(-1)).toMatchObject({
        ...{ orderId: "O", payment: "P1", by: BY },
        text: "The review was decided as refunded. Refund: RB1. Reason: Paid twice",
      });
      expect(JSON.stringify(await checkout.get("O"))).not.toMatch(/Amina|Paid twice/);
    });

    it("before its review is decided with the same reference is noted once", async () => {
      const { checkout } = await paid(["100.00", "100.00"]);
      const id = "O:overpaid:P1";
      await add(checkout, { amount: 30, reference: "PART" });
      await add(checkout, { amount: 100, reference: "RB1" });
      await expect(
        checkout.reviews.resolve(id, "refunded", { reference: "PART" }),
      ).rejects.toMatchObject({ code: "order_conflict", outcome: "not_sent" });
      await checkout.reviews.resolve(id, "refunded", { reference: "RB1" });
      expect(await checkout.inspect("O")).toMatchObject({ received: "70.00", reviews: [] });
      expect(await checkout.refunds.list("O")).toMatchObject([
        { amount: "30.00", payments: [] },
        { amount: "100.00", payments: ["P1"] },
      ]);
    });

    it("is that of one review: the same code typed for another one is rejected", async () => {
      const { checkout } = await paid(["60.00", "60.00", "20.00"], false, "count");
      const [first, second] = (await checkout.inspect("O"))?.reviews ?? [];
      expect([first, second]).toMatchObject([{ amount: "20.00" }, { amount: "20.00" }]);
      const named = { reference: "RB1" };
      await checkout.reviews.resolve(first?.id ?? "", "refunded", named);
      await expect(
        checkout.reviews.resolve(second?.id ?? "", "refunded", named),
      ).rejects.toMatchObject({ code: "order_conflict" });
      await checkout.reviews.resolve(second?.id ?? "", "refunded", { reference: "RB2" });
      expect(await checkout.refunds.list("O")).toHaveLength(2);
    });

    it("is decided with no wrong reference or reason", async () => {
      const { checkout } = await paid(["100.00", "100.00"]);
      const id = "O:overpaid:P1";
      for (const [decision, said] of [
        ["refunded", { reference: "" }],
        ["refunded", { reason: "r".repeat(501) }],
        ["dismiss", { reference: "RB1" }],
      ] as const)
        await expect(checkout.reviews.resolve(id, decision, said)).rejects.toMatchObject({
          code: "invalid_params",
        });
      expect((await checkout.inspect("O"))?.reviews).toHaveLength(1);
    });

    it("of no order is known by its reference, with who decided it and why", async () => {
      const { checkout, sandbox } = await paid();
      const label = { amount: "100.00", currency: "KES", accountReference: "NONE" };
      await deliver(checkout, sandbox, "payment.completed", completed(label, "STRAY"));
      expect(await checkout.reviews.decided("STRAY")).toBeUndefined();
      const note = { reference: "RB1", reason: "A stranger" };
      await checkout.reviews.resolve("unmatched:STRAY", "refunded", { ...note, by: BY });
      expect(await checkout.reviews.decided("STRAY")).toMatchObject({
        review: { references: ["STRAY"], accountReference: "NONE" },
        end: { decision: "refunded", by: BY, decidedAt: expect.any(Date) },
        note,
      });
      expect((await checkout.decisions.read()).at(-1)).toMatchObject({ payment: "STRAY" });
      for (const name of ["P0", "O", "OTHER"])
        expect(await checkout.reviews.decided(name)).toBeUndefined();
    });

    it("as a whole ends the reviews of its money, and is not accepted then", async () => {
      const { checkout, later, given } = await paid(["90.00"]);
      const id = "O:amount_mismatch:P0";
      expect(await add(checkout, { amount: 90 })).toMatchObject({ received: "0.00", reviews: [] });
      await expect(checkout.reviews.resolve(id, "accept")).rejects.toMatchObject({
        ...{ code: "review_decided", decision: "closed" },
      });
      await later(0, checkout);
      expect(given).toEqual([]);
    });

    it("in part before a review is decided as refunded is not noted twice", async () => {
      const { checkout } = await paid(["90.00"]);
      await add(checkout);
      await checkout.reviews.resolve("O:amount_mismatch:P0", "refunded", { by: BY });
      expect(await checkout.refunds.list("O")).toMatchObject([
        { amount: "40.00" },
        { amount: "50.00", payments: ["P0"] },
      ]);
    });

    it("was noted by an older version: it counts, and its name is that of the decision", async () => {
      const { checkout, store, order } = await paid(["100.00", "100.00"]);
      await checkout.reviews.resolve("O:overpaid:P1", "refunded", { by: BY });
      const { now, stored } = await store.read("O");
      if (stored === undefined) throw new Error("The order is missing.");
      const { refunds: _, ...older } = stored.order;
      const limits = { prompts: 1, withinMs: 1, openMs: 1 };
      const names = { references: [], aliases: [], prompts: [], dueAt: undefined };
      const write = { order: older, version: stored.version, now, limits, ...names };
      expect(await store.commit(write)).toMatchObject({ state: "done" });
      expect(await checkout.get(order.id)).toMatchObject({
        ...{ received: "100.00", refunds: [{ amount: "100.00" }] },
      });
      expect(await checkout.refunds.list("O")).toMatchObject([{ by: BY, payments: ["P1"] }]);
      expect(await add(checkout, { amount: 100 })).toMatchObject({ received: "0.00" });
    });

    it.each([
      ["amount", { amount: 0 }],
      ["amount", { amount: "0.001" }],
      ["by", { by: "" }],
      ["by", { by: undefined as never }],
      ["reference", { reference: "" }],
      ["reason", { reason: "\0" }],
    ])("with a wrong %s is rejected", async (field, more) => {
      const { checkout } = await paid();
      const added = add(checkout, more);
      await expect(added).rejects.toMatchObject({
        code: "invalid_params",
        issues: [{ path: [field] }],
      });
      expect(await checkout.refunds.list("O")).toEqual([]);
    });

    it("of no order, or of one without money, is rejected", async () => {
      const { checkout } = (await stage()).open();
      await expect(add(checkout)).rejects.toMatchObject({ code: "configuration" });
      await expect(checkout.refunds.list("O")).rejects.toMatchObject({ code: "configuration" });
      await checkout.create(ORDER);
      const added = checkout.refunds.add(ORDER.id, { amount: 1, by: BY });
      await expect(added).rejects.toThrow(/more than the 0\.00 KES that came/);
    });
  });
}
