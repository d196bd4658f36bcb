import { memory } from "malipo";
import { describe, expect, test } from "vitest";
import type { BooksReport } from "../../../src/checkout/books/day-books.ts";
import { fc } from "../../support/properties.ts";
import { newSandbox, openShop, PHONE } from "../stage.ts";
import { DAY, DAY_2, NOON, openBooks } from "./open-books.ts";

const DAY_MS = 86_400_000;
const DAY_3 = { from: DAY_2.to, to: "2026-11-26T00:00:00+03:00" };
const DAYS = [DAY, DAY_2, DAY_3] as const;

/** What a summary says of refunds, in cents: in the time, and at another time. */
function centsSaid({ summary }: BooksReport) {
  const sum = (phrase: RegExp) =>
    [...summary.matchAll(phrase)].reduce(
      (total, [, amount = ""]) => total + Number(amount.replaceAll(/[.,]/g, "")),
      0,
    );
  const ofTime =
    sum(/KES ([\d,.]+) paid back(?! at)/g) + sum(/other refunds of KES ([\d,]+\.\d\d)/g);
  return { ofTime, otherTime: sum(/KES ([\d,.]+) paid back at another time/g) };
}

const cents = (amount: string) => Number(amount.replace(".", ""));
const amountOf = (sum: number) => (sum / 100).toFixed(2);

/** A shop whose clock is moved from day to day. */
async function openDays() {
  const clock = { now: NOON };
  const books = await openBooks(NOON, clock);
  const toDay = (day: number) => {
    clock.now = Math.max(clock.now + 1, NOON + day * DAY_MS);
  };
  const pay = (number: number) =>
    books.paid(number, { created_at: new Date(clock.now).toISOString() });
  const refund = (amount: string, reference: string) =>
    books.checkout.refunds.add("O-1", { amount, reference, by: "Amina" });
  const reports = () => Promise.all(DAYS.map((day) => books.checkout.report(day)));
  return { ...books, clock, toDay, pay, refund, reports };
}

/** What a person does, and how many days after what was done before. */
const steps = fc.array(
  fc.record({
    daysLater: fc.constantFrom(0, 0, 1),
    does: fc.oneof(
      fc.record({ part: fc.integer({ min: 1, max: 100 }) }),
      fc.constant("decide" as const),
      fc.constant("second payment" as const),
    ),
  }),
  { minLength: 1, maxLength: 7 },
);

describe("what was paid back", () => {
  test("is of the day on which it was noted, each refund once", async () => {
    const { toDay, pay, refund, reports } = await openDays();
    await pay(1);
    await refund("30", "A");
    toDay(1);
    await refund("70.50", "B");
    expect((await reports()).map(({ summary }) => summary)).toEqual([
      "KES 30.00 paid back; KES 70.50 paid back at another time.",
      "other refunds of KES 70.50.",
      "No order was paid.",
    ]);
  });

  test("is counted once if the service does not have the payment", async () => {
    const { checkout, pay, payments } = await openDays();
    await pay(1);
    payments.pop();
    await checkout.report(DAY);
    const [review] = await checkout.reviews.list();
    await checkout.reviews.resolve(review?.id ?? "", "refunded");
    expect((await checkout.report(DAY)).summary).toBe("KES 100.50 paid back.");
  });

  test("is counted once for a payment of no order", async () => {
    const { checkout, listPayment } = await openDays();
    listPayment(1, { account_reference: "NOTHING" });
    await checkout.report(DAY);
    const [review] = await checkout.reviews.list();
    await checkout.reviews.resolve(review?.id ?? "", "refunded");
    expect((await checkout.report(DAY)).summary).toBe("KES 100.50 paid back.");
  });

  test("has right sums after any refunds and decisions, on one day and over several", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { checkout, toDay, pay, refund, reports, clock, listPayment, webhook } =
          await openDays();
        await pay(1);
        const noted = [0, 0, 0];
        let day = 0;
        for (const [at, { daysLater, does }] of all.entries()) {
          day = Math.min(day + daysLater, DAYS.length - 1);
          toDay(day);
          const { received = "0.00" } = (await checkout.get("O-1")) ?? {};
          if (does === "second payment") {
            const created_at = new Date(clock.now).toISOString();
            await webhook(listPayment(at + 2, { account_reference: "O-1", created_at }));
            continue;
          }
          if (does === "decide") {
            const [review] = await checkout.reviews.list();
            if (review !== undefined) await checkout.reviews.resolve(review.id, "refunded");
          } else {
            const part = Math.floor((cents(received) * does.part) / 100);
            if (part > 0) await refund(amountOf(part), `R-${at}`);
          }
          const { received: left = "0.00" } = (await checkout.get("O-1")) ?? {};
          noted[day] = (noted[day] ?? 0) + cents(received) - cents(left);
        }
        const books = await reports();
        expect(books.map((one) => centsSaid(one).ofTime)).toEqual(noted);
        const lists = books.map(({ paidBack }) => paidBack.map(({ amount }) => cents(amount)));
        expect(lists.map((list) => list.reduce((sum, one) => sum + one, 0))).toEqual(noted);
        for (const [at, one] of books.entries()) {
          const wholly = one.refunded.reduce((sum, { amount }) => sum + cents(amount), 0);
          const { otherTime } = centsSaid(one);
          expect(otherTime).toBe(Math.max(0, wholly - (noted[at] ?? 0)));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("money after the end of an order", () => {
  test("is to be paid back, as its review says", async () => {
    const sandbox = newSandbox();
    const { checkout } = openShop(sandbox, memory().checkout());
    await checkout.pay({ id: "O-1", amount: 100, phone: PHONE });
    await checkout.cancel("O-1");
    sandbox.phone(PHONE).approve();
    await sandbox.clock.advance("10s");
    const now = Date.now();
    const day = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
    const { differences } = await checkout.report(day);
    expect(differences).toMatchObject([{ kind: "refund_due" }]);
    expect(differences[0]?.message).toContain("The order was canceled");
    const [review] = await checkout.reviews.list();
    expect(review).toMatchObject({ kind: "refund_due" });
    expect(review?.message).toContain("after the order was canceled");
  });

  test.each(["100.50", "40.00", "120.00"])("has the kind of its review, of %s", async (amount) => {
    const { checkout, listPayment, webhook } = await openBooks();
    await checkout.create({ id: "O-1", amount: "100.50", accountReference: "O-1" });
    await checkout.cancel("O-1");
    await webhook(listPayment(1, { amount }));
    const reviews = (await checkout.reviews.list()).map(({ kind }) => kind);
    const { differences } = await checkout.report(DAY);
    expect(differences.map(({ kind }) => kind)).toEqual(reviews);
  });

  test.each(["100.50", "40.00"])("is late after an order expired, of %s", async (amount) => {
    const clock = { now: NOON };
    const { checkout, listPayment, webhook } = await openBooks(NOON, clock);
    const order = { id: "O-1", amount: "100.50", accountReference: "O-1" };
    await checkout.create({ ...order, expiresAt: new Date(NOON + 1) });
    clock.now += 10;
    expect((await checkout.pay({ ...order, phone: PHONE })).status).toBe("expired");
    await webhook(listPayment(1, { amount }));
    const { differences } = await checkout.report(DAY);
    expect(differences.map(({ kind }) => kind)).toEqual(["late_payment"]);
  });

  test("is paid twice if a part came for a paid order", async () => {
    const { checkout, paid, listPayment, webhook } = await openBooks();
    await paid(1);
    await webhook(listPayment(2, { account_reference: "O-1", amount: "40.00" }));
    const [review] = await checkout.reviews.list();
    expect(review?.kind).toBe("overpaid");
    const { differences } = await checkout.report(DAY);
    expect(differences.map(({ kind }) => kind)).toEqual(["paid_twice"]);
  });

  test("has the kind that its review will have, if the report sees it first", async () => {
    const { checkout, listPayment } = await openBooks();
    await checkout.create({ id: "O-1", amount: "100.50", accountReference: "O-1" });
    await checkout.cancel("O-1");
    listPayment(1, { amount: "40.00" });
    const { differences } = await checkout.report(DAY);
    expect(differences.map(({ kind }) => kind)).toEqual(["refund_due"]);
    expect((await checkout.reviews.list()).map(({ kind }) => kind)).toEqual(["refund_due"]);
  });
});
