import type { Checkout, ReviewDecision } from "malipo/checkout";
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

/** A line of the log of decisions, as far as a test looks at it. */
interface Line {
  readonly state: string;
  readonly by?: string;
  readonly text: string;
  readonly about?: string;
}

const doneLines = async (checkout: Checkout): Promise<Line[]> =>
  ((await checkout.decisions.read()) as Line[]).filter(({ state }) => state === "done");

/** What two people decide about one review at the same moment. */
async function decideAtOnce(
  [one, other]: readonly [Checkout, Checkout],
  id: string,
  decisions: readonly [ReviewDecision, ReviewDecision],
) {
  const [first, second] = await Promise.allSettled([
    one.reviews.resolve(id, decisions[0], { by: "Amina" }),
    other.reviews.resolve(id, decisions[1], { by: "Brian" }),
  ]);
  const ends = [
    { by: "Amina", decision: decisions[0], ended: first },
    { by: "Brian", decision: decisions[1], ended: second },
  ];
  const won = ends.filter(({ ended }) => ended.status === "fulfilled");
  const lost = ends.flatMap(({ ended }) => (ended.status === "rejected" ? [ended.reason] : []));
  return { won, lost };
}

const TIMES = Array.from({ length: 20 }, (_, at) => at);

/** Two people, or two processes, decide about money. */
export function checkoutDecisions(name: string, given: Stage): void {
  /** Shops whose merchant looks at each part: a payment by hand makes a review. */
  const stage: Stage = async () => {
    const on = await given();
    return { ...on, open: (options) => on.open({ partPayments: "review", ...options }) };
  };
  /** An order whose money has another amount, and the id of its review. */
  const mismatch = async (
    { sandbox }: Awaited<ReturnType<Stage>>,
    checkout: Checkout,
    id: string,
    amounts: readonly string[] = ["90.00"],
  ) => {
    const order = await checkout.create({ id, amount: 100 });
    for (const [at, amount] of amounts.entries()) {
      const event = completed(order, `PAY-${id}-${at}`, { amount });
      await deliver(checkout, sandbox, "payment.completed", event);
    }
    return amounts.map((_, at) => `${id}:amount_mismatch:PAY-${id}-${at}`);
  };

  /** A paid order whose `onPaid` has failed twelve times, and the id of the review that says so. */
  const effectFailed = async (open: Awaited<ReturnType<Stage>>["open"], given: string[]) => {
    let isBroken = true;
    const shop = open({
      onPaid: async (order, { transaction }) => {
        if (isBroken) throw new Error("There are no tickets.");
        await transaction(() => {});
        given.push(order.id);
      },
    });
    return {
      ...shop,
      repair: () => {
        isBroken = false;
      },
    };
  };

  describe(`${name}: a decision about a review`, () => {
    it("is one of two that are made at the same moment, twenty times of twenty", async () => {
      const on = await stage();
      const shops = [on.open().checkout, on.open().checkout] as const;
      for (const at of TIMES) {
        const [id = ""] = await mismatch(on, shops[0], `O-${at}`);
        const { won, lost } = await decideAtOnce(shops, id, ["accept", "refunded"]);
        expect([won.length, lost.length]).toEqual([1, 1]);
        const [winner] = won;
        expect(lost[0]).toMatchObject({
          code: "review_decided",
          outcome: "not_sent",
          reviewId: id,
          by: winner?.by,
          decision: winner?.decision,
          decidedAt: expect.any(Date),
        });
        expect(lost[0].message).toContain(`${winner?.by} has decided`);
        const order = await shops[1].inspect(`O-${at}`);
        const isAccepted = winner?.decision === "accept";
        expect(order).toMatchObject({
          status: isAccepted ? "paid" : "open",
          payments: [{ isRefunded: !isAccepted }],
          reviews: [],
        });
        const about = (await doneLines(shops[0])).filter((line) =>
          line.about?.includes(`O-${at},`),
        );
        expect(about.map(({ by }) => by)).toEqual([winner?.by]);
      }
    });

    it("about a payment of no order is one of two, twenty times of twenty", async () => {
      const on = await stage();
      const shops = [on.open().checkout, on.open().checkout] as const;
      const order = await shops[0].create(ORDER);
      for (const at of TIMES) {
        const event = completed(order, `STRAY-${at}`, { account_reference: "NONE" });
        await deliver(shops[0], on.sandbox, "payment.completed", event);
        const id = `unmatched:STRAY-${at}`;
        const { won, lost } = await decideAtOnce(shops, id, ["dismiss", "refunded"]);
        expect([won.length, lost.length]).toEqual([1, 1]);
        expect(lost[0]).toMatchObject({
          code: "review_decided",
          by: won[0]?.by,
          decision: won[0]?.decision,
          decidedAt: expect.any(Date),
        });
        const about = (await doneLines(shops[1])).filter((line) => line.about === `STRAY-${at}`);
        expect(about.map(({ by }) => by)).toEqual([won[0]?.by]);
        // A webhook that comes again does not hide who decided.
        await deliver(shops[1], on.sandbox, "payment.completed", event);
        await expect(shops[0].reviews.resolve(id, "refunded")).rejects.toMatchObject({
          by: won[0]?.by,
        });
      }
    });

    /** A paid order whose `onPaid` has rolled back its transaction by itself, once. */
    const unclear = async () => {
      const on = await stage();
      let calls = 0;
      const shop = on.open({
        onPaid: async (_, { transaction }) => {
          calls++;
          await transaction((db: { exec?(sql: string): unknown; query?(sql: string): unknown }) => {
            if (calls > 1) return undefined;
            return db.exec === undefined ? db.query?.("ROLLBACK") : db.exec("ROLLBACK");
          });
        },
      });
      const { checkout } = shop;
      const order = await checkout.create(ORDER);
      await deliver(checkout, on.sandbox, "payment.completed", completed(order, "PAY"));
      await on.later(0, checkout);
      const pass = async () => {
        for (let times = 0; times < 3; times++) await on.later(10 * MINUTE_MS, checkout);
        return { order: await checkout.inspect(ORDER.id), calls };
      };
      return { ...shop, pass, id: `${ORDER.id}:effect_unclear:PAY` };
    };

    it("about goods of which it is not known what was kept is waited for", async () => {
      const { checkout, pass, id } = await unclear();
      expect(await pass()).toMatchObject({
        calls: 1,
        order: { status: "paid", effect: "due", reviews: [{ id, kind: "effect_unclear" }] },
      });
      const [last] = (await checkout.history(ORDER.id)).slice(-2);
      expect(last?.text).toMatch(
        /not known whether all goods were given: onPaid committed or rolled back/,
      );
    });

    it.each([
      ["accept", { calls: 2, order: { effect: "done", reviews: [] } }],
      ["dismiss", { calls: 1, order: { effect: "done", reviews: [] } }],
      ["refunded", { calls: 1, order: { effect: "refunded", reviews: [], received: "0.00" } }],
    ] as const)("about such goods is followed: %s", async (decision, expected) => {
      const { checkout, pass, id } = await unclear();
      await checkout.reviews.resolve(id, decision);
      expect(await pass()).toMatchObject(expected);
    });

    it("that is repeated rejects with what was decided, and changes nothing", async () => {
      const on = await stage();
      const { checkout } = on.open();
      const [id = ""] = await mismatch(on, checkout, "O");
      await checkout.reviews.resolve(id, "refunded", { by: "Amina" });
      const before = await checkout.history("O");
      for (const by of ["Amina", "Brian", undefined]) {
        await expect(checkout.reviews.resolve(id, "refunded", { by })).rejects.toMatchObject({
          ...{ code: "review_decided", by: "Amina", decision: "refunded", statusCode: 409 },
        });
      }
      expect(await checkout.history("O")).toEqual(before);
      expect(await doneLines(checkout)).toHaveLength(1);
      const none = checkout.reviews.resolve("O:overpaid:PAY-NONE", "refunded");
      await expect(none).rejects.toMatchObject({ code: "configuration" });
    });

    it("that is repeated after the clock was set back changes nothing", async () => {
      const on = await stage();
      const { checkout } = on.open();
      const [id = ""] = await mismatch(on, checkout, "O");
      await checkout.reviews.resolve(id, "refunded", { by: "Amina" });
      on.clock.advance(-120 * MINUTE_MS);
      const again = checkout.reviews.resolve(id, "accept", { by: "Brian" });
      await expect(again).rejects.toMatchObject({ code: "review_decided", by: "Amina" });
    });

    it("of a review that has ended by itself says so", async () => {
      const on = await stage();
      const given: string[] = [];
      const { checkout, repair } = await effectFailed(on.open, given);
      const order = await checkout.pay(ORDER);
      const event = completed(order, referenceOf(order));
      await deliver(checkout, on.sandbox, "payment.completed", event);
      for (let times = 0; times < 14; times++) await on.later(5 * MINUTE_MS, checkout);
      const [review] = await checkout.reviews.list();
      repair();
      await on.later(5 * MINUTE_MS, checkout);
      const late = checkout.reviews.resolve(review?.id ?? "", "refunded", { by: "Amina" });
      await expect(late).rejects.toMatchObject({ code: "review_decided", decision: "closed" });
      expect(await checkout.get(ORDER.id)).toMatchObject({ effect: "done", received: "1500.00" });
    });

    it("whose line cannot be written is not made", async () => {
      const on = await stage();
      const { checkout } = on.open();
      const [id = ""] = await mismatch(on, checkout, "O");
      const line = { big: 1n };
      await expect(checkout.reviews.resolve(id, "accept", { line })).rejects.toThrow(TypeError);
      expect(await checkout.inspect("O")).toMatchObject({ status: "open", reviews: [{ id }] });
      const stray = completed((await checkout.get("O")) as never, "S", {
        account_reference: "NONE",
      });
      await deliver(checkout, on.sandbox, "payment.completed", stray);
      const unmatched = checkout.reviews.resolve("unmatched:S", "dismiss", { line });
      await expect(unmatched).rejects.toThrow(TypeError);
      expect((await checkout.reviews.list()).map((one) => one.id)).toEqual([id, "unmatched:S"]);
    });
  });

  describe(`${name}: a second payment that is accepted`, () => {
    it("of another amount is refused, and its review stays", async () => {
      const on = await stage();
      const { checkout, given } = on.open();
      const [less = "", more = ""] = await mismatch(on, checkout, "O", ["90.00", "110.00"]);
      await checkout.reviews.resolve(less, "accept", { by: "Amina" });
      const second = checkout.reviews.resolve(more, "accept", { by: "Brian" });
      await expect(second).rejects.toMatchObject({
        ...{ code: "order_paid", orderId: "O", paidBy: "PAY-O-0", reviewId: more },
        ...{ outcome: "not_sent", statusCode: 409 },
        message: expect.stringMatching(/PAY-O-0.*"refunded".*"dismiss"/),
      });
      expect(await checkout.inspect("O")).toMatchObject({ reviews: [{ id: more }] });
      expect(await doneLines(checkout)).toHaveLength(1);
      await checkout.reviews.resolve(more, "refunded", { by: "Brian" });
      await on.later(0, checkout);
      expect(await checkout.inspect("O")).toMatchObject({
        ...{ status: "paid", effect: "done", received: "90.00", reviews: [] },
        payments: [{ isRefunded: false }, { isRefunded: true }],
      });
      expect(given).toEqual(["O"]);
    });

    it("after the end of the order, or of a paid one, is refused, too", async () => {
      const on = await stage();
      const { checkout } = on.open();
      const order = await checkout.create({ id: "O", amount: 100 });
      await checkout.cancel("O");
      const report = (reference: string) =>
        deliver(checkout, on.sandbox, "payment.completed", completed(order, reference));
      for (const reference of ["ONE", "TWO"]) await report(reference);
      await checkout.reviews.resolve("O:refund_due:ONE", "accept");
      const late = checkout.reviews.resolve("O:refund_due:TWO", "accept");
      await expect(late).rejects.toMatchObject({ code: "order_paid", paidBy: "ONE" });
      await report("THREE");
      const over = checkout.reviews.resolve("O:overpaid:THREE", "accept");
      await expect(over).rejects.toMatchObject({ code: "order_paid", paidBy: "ONE" });
      const kinds = (await checkout.reviews.list()).map(({ kind }) => kind);
      expect(kinds).toEqual(["refund_due", "overpaid"]);
    });

    it("at the same moment as another one is refused, twenty times of twenty", async () => {
      const on = await stage();
      const shops = [on.open().checkout, on.open().checkout] as const;
      for (const at of TIMES) {
        const ids = await mismatch(on, shops[0], `O-${at}`, ["90.00", "110.00"]);
        const ends = await Promise.allSettled(
          ids.map((id, which) => shops[which]?.reviews.resolve(id, "accept")),
        );
        const lost = ends.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
        expect(lost).toEqual(["order_paid"]);
        expect((await shops[0].inspect(`O-${at}`))?.reviews).toHaveLength(1);
      }
    });

    it("that was paid back before is refused", async () => {
      const on = await stage();
      const { checkout, given } = on.open();
      const [id = ""] = await mismatch(on, checkout, "O");
      const order = await checkout.get("O");
      const other = completed(order as never, "PAY-O-0", { amount: "95.00" });
      await deliver(checkout, on.sandbox, "payment.completed", other);
      await checkout.reviews.resolve(id, "refunded", { by: "Amina" });
      const accepted = checkout.reviews.resolve("O:contradiction:PAY-O-0", "accept");
      await expect(accepted).rejects.toMatchObject({
        ...{ code: "review_decided", decision: "refunded", by: "Amina", reviewId: id },
      });
      await on.later(0, checkout);
      expect(given).toEqual([]);
    });
  });

  describe(`${name}: money that was paid back`, () => {
    it("ends the goods of an order whose onPaid has failed twelve times", async () => {
      const on = await stage();
      const given: string[] = [];
      const { checkout, repair } = await effectFailed(on.open, given);
      const order = await checkout.pay(ORDER);
      const event = completed(order, referenceOf(order));
      await deliver(checkout, on.sandbox, "payment.completed", event);
      for (let times = 0; times < 14; times++) await on.later(5 * MINUTE_MS, checkout);
      const [review] = await checkout.reviews.list();
      expect(review?.kind).toBe("effect_failed");
      await checkout.reviews.resolve(review?.id ?? "", "refunded", { by: "Amina" });
      repair();
      for (let times = 0; times < 3; times++) await on.later(60 * MINUTE_MS, checkout);
      expect(given).toEqual([]);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        ...{ status: "paid", effect: "refunded", received: "0.00", reviews: [] },
        payments: [{ isRefunded: true }],
      });
      expect((await checkout.list({ goodsDue: true })).items).toEqual([]);
      const texts = (await checkout.history(ORDER.id)).map(({ text }) => text);
      expect(texts.at(-1)).toBe("The payment was paid back: the goods are not given any more.");
    });

    it("ends the goods that are due by a review of another kind", async () => {
      const on = await stage();
      const given: string[] = [];
      const { checkout, repair } = await effectFailed(on.open, given);
      const [id = ""] = await mismatch(on, checkout, "O");
      const other = completed((await checkout.get("O")) as never, "PAY-O-0", { amount: "95.00" });
      await deliver(checkout, on.sandbox, "payment.completed", other);
      await checkout.reviews.resolve(id, "accept");
      await on.later(0, checkout);
      await checkout.reviews.resolve("O:contradiction:PAY-O-0", "refunded");
      repair();
      await on.later(60 * MINUTE_MS, checkout);
      expect(given).toEqual([]);
      expect(await checkout.get("O")).toMatchObject({ status: "paid", effect: "refunded" });
    });

    it("while onPaid runs keeps its transaction from committing", async () => {
      const on = await stage();
      const goods: string[] = [];
      const id = "O:contradiction:PAY-O-0";
      const { checkout, errors } = on.open({
        onPaid: async (order, { transaction }) => {
          await checkout.reviews.resolve(id, "refunded", { by: "Amina" });
          await transaction(() => {
            goods.push(order.id);
          });
        },
      });
      const [review = ""] = await mismatch(on, checkout, "O");
      const other = completed((await checkout.get("O")) as never, "PAY-O-0", { amount: "95.00" });
      await deliver(checkout, on.sandbox, "payment.completed", other);
      await checkout.reviews.resolve(review, "accept");
      await on.later(0, checkout);
      for (let times = 0; times < 3; times++) await on.later(60 * MINUTE_MS, checkout);
      expect(goods).toEqual([]);
      expect(errors).toHaveLength(1);
      expect(await checkout.get("O")).toMatchObject({ effect: "refunded", received: "0.00" });
    });

    it("after the goods were given is noted, and the goods stay given", async () => {
      const on = await stage();
      const { checkout, given } = on.open();
      const [id = ""] = await mismatch(on, checkout, "O");
      const other = completed((await checkout.get("O")) as never, "PAY-O-0", { amount: "95.00" });
      await deliver(checkout, on.sandbox, "payment.completed", other);
      await checkout.reviews.resolve(id, "accept");
      await on.later(0, checkout);
      await checkout.reviews.resolve("O:contradiction:PAY-O-0", "refunded");
      expect(given).toEqual(["O"]);
      expect(await checkout.get("O")).toMatchObject({
        ...{ effect: "done", received: "0.00", payments: [{ isRefunded: true }] },
      });
    });

    it("is not noted of an attempt whose payment is not known", async () => {
      const on = await stage();
      const lost = () => Promise.reject(new TypeError("fetch failed"));
      const { checkout } = on.open({ fetch: promptsWith(on.sandbox, lost) });
      await checkout.pay(ORDER);
      // A look after half an hour opens the review, and chance decides by some minutes when that is.
      for (let times = 0; times < 8; times++) await on.later(9 * MINUTE_MS, checkout);
      const reviews = await checkout.reviews.list();
      const [review] = reviews;
      expect(review).toMatchObject({ kind: "unknown_outcome", references: [] });
      const refunded = checkout.reviews.resolve(review?.id ?? "", "refunded");
      await expect(refunded).rejects.toMatchObject({
        code: "configuration",
        message: expect.stringContaining('cancel the order "ORDER-1"'),
      });
      expect(await checkout.reviews.list()).toEqual(reviews);
    });

    it("before it was reported as completed pays nothing", async () => {
      const on = await stage();
      const { checkout, given } = on.open();
      const order = await checkout.pay(ORDER);
      for (let times = 0; times < 8; times++) await on.later(10 * MINUTE_MS, checkout);
      const [review] = await checkout.reviews.list();
      expect(review?.kind).toBe("unknown_outcome");
      await checkout.reviews.resolve(review?.id ?? "", "refunded", { by: "Amina" });
      const event = completed(order, referenceOf(order));
      await deliver(checkout, on.sandbox, "payment.completed", event);
      await on.later(0, checkout);
      expect(given).toEqual([]);
      expect(await checkout.get(ORDER.id)).toMatchObject({
        ...{ status: "open", received: "0.00", payments: [{ isRefunded: true }] },
      });
    });
  });
}
