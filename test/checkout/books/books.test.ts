import { memory } from "malipo";
import { describe, expect, test, vi } from "vitest";
import { compareCompleted } from "../../../src/checkout/books/compare-books.ts";
import type { BooksReport } from "../../../src/checkout/books/day-books.ts";
import type { OrderState } from "../../../src/checkout/rules/order-state.ts";
import { newSandbox, openShop, PHONE } from "../stage.ts";
import { DAY, DAY_2, type Listed, NOON, openBooks } from "./open-books.ts";

/** Does work without its waits: the clock moves on to the end of each. */
async function withoutWaits<Result>(work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.setTimerTickMode("nextTimerAsync");
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

const noGoods = (): never => {
  throw new Error("the tickets are sold out");
};

/** Books of a shop whose merchant looks at each part. */
const SEEN = [NOON, { now: NOON }, { partPayments: "review" }] as const;

const kindsOf = ({ differences }: BooksReport) =>
  differences.map(({ kind, reference }) => `${kind} ${reference}`).sort();
const NOTHING = "No order was paid.";

describe("the books of a day", () => {
  test.each([
    [["40", "60.50"], "KES 100.50 paid back."],
    [["40"], "other refunds of KES 40.00."],
  ])("count parts of %j that were paid back once", async (amounts, says) => {
    const { checkout, paid } = await openBooks();
    await paid(1);
    await paid(2);
    for (const [at, amount] of amounts.entries()) {
      await checkout.refunds.add("O-1", { amount, by: "Amina", reference: `R-${at}` });
    }
    const { summary } = await checkout.report(DAY);
    expect(summary.split("; ").at(-1)).toBe(says);
  });

  test("name each of 18 payments among 1,000 that differ in 7 ways, and open a review for each", async () => {
    const clock = { now: NOON };
    const { checkout, listPayment, paid, payments, unlisted, webhook } = await openBooks(
      NOON,
      clock,
    );
    for (let number = 1; number <= 982; number++) await paid(number);
    for (const number of [2001, 2002]) listPayment(number, { account_reference: `X${number}` });
    for (const number of [2003, 2004]) {
      await paid(number);
      payments.pop();
    }
    await paid(2005, { status: "pending" });
    await checkout.create({ id: "O-2006", amount: "100.50", accountReference: "O-2006" });
    listPayment(2006);
    await paid(2007, { amount: "100.00" });
    await paid(2008, { amount: "1005.00" });
    await paid(2009, { currency: "UGX" });
    await paid(2010, { currency: "TZS" });
    for (const number of [1, 2]) {
      const second = listPayment(2010 + number, { account_reference: `O-${number}` });
      await webhook(second);
    }
    // Six that only a read, the end of an order or the day of the payment sets apart.
    for (const [number, changes] of [
      [2021, { amount: "1.00" }],
      [2022, { currency: "UGX" }],
    ] as const) {
      await paid(number);
      unlisted.push({ ...(payments.pop() as Listed), ...changes });
    }
    for (const number of [2023, 2024]) {
      const id = `O-${number}`;
      const order = { id, amount: "100.50", accountReference: id };
      const expiresAt = new Date(clock.now + 1);
      await checkout.create({ ...order, ...(number === 2023 && { expiresAt }) });
      clock.now += 10;
      if (number === 2024) await checkout.cancel(id);
      // Expired, it asks nobody.
      else expect((await checkout.pay({ ...order, phone: PHONE })).status).toBe("expired");
      await webhook(listPayment(number));
    }
    payments.pop();
    await paid(2025);
    payments.pop();
    await paid(2026, { status: "reversed" });
    // Not of this day, and not paid.
    listPayment(3001, { created_at: "2026-11-22T23:59:59+03:00" });
    listPayment(3002, { created_at: "2026-11-24T00:00:00+03:00" });
    listPayment(3003, { status: "failed" });

    const read: unknown[] = [];
    const report = await checkout.report({ ...DAY, onProgress: (now) => read.push(now) });
    const named = report.differences.map(({ kind, reference, orderId }) => [
      kind,
      reference,
      orderId,
    ]);
    expect(named.sort()).toEqual(
      [
        ["no_order", "PAY-2001", undefined],
        ["no_order", "PAY-2002", undefined],
        ["not_at_service", "PAY-2003", "O-2003"],
        ["not_at_service", "PAY-2004", "O-2004"],
        ["status", "PAY-2005", "O-2005"],
        ["status", "PAY-2006", "O-2006"],
        ["amount", "PAY-2007", "O-2007"],
        ["amount", "PAY-2008", "O-2008"],
        ["currency", "PAY-2009", "O-2009"],
        ["currency", "PAY-2010", "O-2010"],
        ["paid_twice", "PAY-2011", "O-1"],
        ["paid_twice", "PAY-2012", "O-2"],
        ["amount", "PAY-2021", "O-2021"],
        ["currency", "PAY-2022", "O-2022"],
        ["late_payment", "PAY-2023", "O-2023"],
        ["refund_due", "PAY-2024", "O-2024"],
        ["not_at_service", "PAY-2025", "O-2025"],
        ["status", "PAY-2026", "O-2026"],
      ].sort(),
    );
    expect(report.isComplete).toBe(true);
    expect(report.agrees).toEqual([{ currency: "KES", count: 982, amount: "98691.00" }]);
    // Each payment that paid an order, the earliest first.
    expect(report.payments).toHaveLength(982);
    expect(report.payments[0]).toEqual({
      reference: "PAY-982",
      orderId: "O-982",
      accountReference: "O-982",
      amount: "100.50",
      currency: "KES",
      phone: "0700 *** 982",
      paidAt: new Date(NOON - 982_000).toISOString(),
    });
    expect(report.payments.at(-1)?.reference).toBe("PAY-1");
    expect(report.summary).toBe(
      "982 orders, KES 98,691.00, all at the service; 2 payments belong to no order; 3 paid orders are not at the service; 3 payments have another status than their orders; 3 payments have another amount; 3 payments have another currency; 2 payments are to be paid back; 1 payment came after the end of its order; 1 payment of an order that has ended is to be paid back.",
    );
    expect(JSON.stringify(report)).not.toMatch(/2547\d{8}/);
    expect(read.length).toBeGreaterThan(10);

    const reviewed = (await checkout.reviews.list()).flatMap(({ references }) => references);
    // The money of this one is brought into its order, which is then paid.
    expect((await checkout.get("O-2006"))?.status).toBe("paid");
    for (const { reference } of report.differences) {
      if (reference !== "PAY-2006") expect(reviewed).toContain(reference);
    }
    const count = (await checkout.reviews.list()).length;
    await checkout.report(DAY);
    expect(await checkout.reviews.list()).toHaveLength(count);
  });

  test("name what differs in a payment that only a read of it shows, and late money", async () => {
    const { checkout, paid, payments, unlisted, listPayment, webhook } = await openBooks();
    const moved = (changes: Partial<Listed>) => {
      const one = payments.pop() as Listed;
      unlisted.push({ ...one, ...changes });
    };
    await paid(1);
    await paid(2);
    moved({ amount: "1.00" });
    await paid(3);
    moved({ currency: "UGX" });
    await paid(4);
    moved({});
    for (const number of [5, 6]) {
      const id = `O-${number}`;
      await checkout.create({ id, amount: "100.50", accountReference: id });
      await checkout.cancel(id);
      await webhook(listPayment(number));
    }
    moved({});
    const report = await checkout.report(DAY);
    expect(kindsOf(report)).toEqual([
      "amount PAY-2",
      "currency PAY-3",
      "refund_due PAY-5",
      "refund_due PAY-6",
    ]);
    expect(report.summary).toBe(
      "2 orders, KES 201.00, all at the service; 1 payment has another amount; 1 payment has another currency; 2 payments of orders that have ended are to be paid back.",
    );
    for (const { kind, message } of report.differences) {
      if (kind === "late_payment") expect(message).not.toContain("was paid before");
    }
    const reviewed = (await checkout.reviews.list()).flatMap(({ references }) => references);
    for (const { reference } of report.differences) expect(reviewed).toContain(reference);
  });

  test("have no difference any more where a person has decided, and say what was paid back", async () => {
    const { checkout, paid, payments, listPayment, webhook } = await openBooks(...SEEN);
    await paid(1);
    await webhook(listPayment(2, { account_reference: "O-1" }));
    await webhook(listPayment(3, { account_reference: "O-1" }));
    listPayment(4, { account_reference: "NOTHING-4" });
    listPayment(5, { account_reference: "NOTHING-5" });
    await paid(6);
    payments.pop();
    await paid(7, { status: "pending" });
    for (const number of [8, 9]) {
      const id = `O-${number}`;
      await checkout.create({ id, amount: "100.50", accountReference: id });
      await webhook(listPayment(number, { amount: "50.00" }));
    }
    const before = await checkout.report(DAY);
    expect(before.differences).toHaveLength(8);
    expect(before.agrees).toEqual([{ currency: "KES", count: 1, amount: "100.50" }]);
    const decisions = {
      "PAY-2": "refunded",
      "PAY-3": "dismiss",
      "PAY-4": "refunded",
      "PAY-5": "dismiss",
      "PAY-6": "dismiss",
      "PAY-7": "dismiss",
      "PAY-8": "accept",
      "PAY-9": "refunded",
    } as const;
    for (const { id, references } of await checkout.reviews.list()) {
      const reference = references.at(-1) as keyof typeof decisions;
      await checkout.reviews.resolve(id, decisions[reference]);
    }
    const report = await checkout.report(DAY);
    expect(report.differences).toEqual([]);
    expect(report.openReviews).toEqual([]);
    // An order is counted once, however many payments it has.
    expect(report.agrees).toEqual([{ currency: "KES", count: 1, amount: "100.50" }]);
    expect(report.accepted).toEqual([{ currency: "KES", count: 1, amount: "50.00" }]);
    expect(report.received).toEqual([{ currency: "KES", count: 7, amount: "602.50" }]);
    expect(report.refunds).toMatchObject([
      { reference: "PAY-2", orderId: "O-1", amount: "100.50", currency: "KES" },
      { reference: "PAY-4", accountReference: "NOTHING-4", amount: "100.50" },
      { reference: "PAY-9", orderId: "O-9", amount: "50.00" },
    ]);
    expect(report.refunded).toEqual([{ currency: "KES", count: 3, amount: "251.00" }]);
    expect(report.dismissed).toEqual([{ currency: "KES", count: 4, amount: "402.00" }]);
    expect(report.summary).toBe(
      "1 order, KES 100.50, at the service; KES 50.00 accepted with another amount; KES 251.00 paid back; KES 402.00 dismissed by a person.",
    );
  });

  test("have parts of an order on the day on which they came, and those of an order that ended", async () => {
    const { checkout, listPayment, webhook } = await openBooks();
    for (const id of ["O-1", "O-2"])
      await checkout.create({ id, amount: "100.50", accountReference: id });
    await webhook(listPayment(1, { account_reference: "O-1", amount: "40.00" }));
    // Its webhook never comes: the list brings it into its order.
    listPayment(2, { account_reference: "O-1", amount: "10.00" });
    await webhook(listPayment(3, { account_reference: "O-2", amount: "30.00" }));
    const first = await checkout.report(DAY);
    expect(kindsOf(first)).toEqual(["status PAY-2"]);
    expect(await checkout.get("O-1")).toMatchObject({ received: "50.00", due: "50.50" });
    const open = await checkout.report(DAY);
    expect(open.parts).toEqual([{ currency: "KES", count: 3, amount: "80.00" }]);
    expect([open.differences, open.agrees]).toEqual([[], []]);
    expect(open.summary).toBe("KES 80.00 came in parts.");
    await webhook(listPayment(4, { account_reference: "O-1", amount: "60.00" }));
    await checkout.cancel("O-2");
    const report = await checkout.report(DAY);
    expect(report.parts).toEqual([{ currency: "KES", count: 3, amount: "110.00" }]);
    expect(kindsOf(report)).toEqual(["refund_due PAY-3"]);
    // What is more than the order is a review of its own.
    expect(report.openReviews).toMatchObject([{ kind: "overpaid", amount: "9.50" }]);
    expect(report.received).toEqual([{ currency: "KES", count: 4, amount: "140.00" }]);
  });

  test("call no payment dismissed that a person has accepted, though another one has paid the order", async () => {
    const { checkout, listPayment, webhook } = await openBooks(...SEEN);
    await checkout.create({ id: "O-1", amount: "100.50", accountReference: "O-1" });
    await webhook(listPayment(1, { account_reference: "O-1", amount: "90.00" }));
    await webhook(listPayment(2, { account_reference: "O-1", amount: "110.00" }));
    const [first, second] = await checkout.reviews.list();
    await checkout.reviews.resolve(first?.id ?? "", "accept");
    const accepted = checkout.reviews.resolve(second?.id ?? "", "accept");
    await expect(accepted).rejects.toMatchObject({ code: "order_paid" });
    const report = await checkout.report(DAY);
    expect(report.accepted).toEqual([{ currency: "KES", count: 1, amount: "90.00" }]);
    expect([kindsOf(report), report.dismissed]).toEqual([["amount PAY-2"], []]);
    await checkout.reviews.resolve(second?.id ?? "", "refunded");
    const after = await checkout.report(DAY);
    expect(after.refunded).toEqual([{ currency: "KES", count: 1, amount: "110.00" }]);
    expect([kindsOf(after), after.dismissed]).toEqual([[], []]);
  });

  test("count the payment of an order as paid back if its goods were not given", async () => {
    const { checkout, listPayment, webhook, paid } = await openBooks(NOON, undefined, {
      onPaid: noGoods,
    });
    await paid(1);
    await webhook(listPayment(1, { account_reference: "O-1", amount: "90.00" }));
    const [review] = await checkout.reviews.list();
    await checkout.reviews.resolve(review?.id ?? "", "refunded");
    expect(await checkout.get("O-1")).toMatchObject({ status: "paid", effect: "refunded" });
    const report = await checkout.report(DAY);
    expect([report.goodsDue, report.agrees]).toEqual([[], []]);
    expect(report.refunds).toMatchObject([{ reference: "PAY-1", orderId: "O-1" }]);
  });

  test("count no payment as settled because of a review that is not about its money", () => {
    const review = { id: "O:unknown_outcome:1", at: NOON, number: 1, references: ["PAY-1"] };
    const order: OrderState = {
      id: "O",
      accountReference: "O",
      amount: "100.50",
      currency: "KES",
      metadata: {},
      attemptLimit: 3,
      attempts: [],
      money: [],
      reviews: [{ ...review, kind: "unknown_outcome", ended: "dismiss" }],
      createdAt: NOON,
      updatedAt: NOON,
    };
    const payment = { reference: "PAY-1", status: "completed", amount: "100.50", currency: "KES" };
    const rest = { alias: undefined, label: "O", phone: undefined };
    const compared = compareCompleted({ ...payment, ...rest }, order);
    expect(compared).toMatchObject({ is: "different", difference: { kind: "status" } });
  });

  test("have a payment without a time and without an order on the day on which it was first seen", async () => {
    const clock = { now: NOON };
    const { checkout, listPayment } = await openBooks(NOON, clock);
    delete (listPayment(1, { account_reference: "NOTHING" }) as Partial<Listed>).created_at;
    // The report of the day before is the first one that sees it: it opens the review.
    const day0 = { from: "2026-11-22T00:00:00+03:00", to: DAY.from };
    const first = await checkout.report(day0);
    expect(kindsOf(first)).toEqual([]);
    expect(first.openReviews).toMatchObject([{ kind: "unmatched", references: ["PAY-1"] }]);
    clock.now += 86_400_000;
    expect(kindsOf(await checkout.report(DAY))).toEqual(["no_order PAY-1"]);
    const next = await checkout.report(DAY_2);
    expect([kindsOf(next), next.received]).toEqual([[], []]);
    const [review] = await checkout.reviews.list();
    await checkout.reviews.resolve(review?.id ?? "", "refunded");
    const refunded = await Promise.all([day0, DAY, DAY_2].map((one) => checkout.report(one)));
    expect(refunded.map(({ refunds }) => refunds.length)).toEqual([0, 1, 0]);
  });

  test("name the paid orders that have no goods a minute later", async () => {
    const clock = { now: NOON };
    const { checkout, paid, errors } = await openBooks(NOON, clock, { onPaid: noGoods });
    await paid(1);
    await checkout.reconcile();
    expect(errors).not.toEqual([]);
    expect((await checkout.report(DAY)).goodsDue).toEqual([]);
    clock.now += 86_400_000;
    const { goodsDue, summary } = await checkout.report(DAY_2);
    expect(goodsDue).toEqual([
      {
        orderId: "O-1",
        amount: "100.50",
        currency: "KES",
        paidAt: new Date(NOON).toISOString(),
        tries: 1,
      },
    ]);
    expect(summary).toBe("1 paid order has no goods yet.");
  });

  test("leave out the open orders of a later day", async () => {
    const { checkout } = await openBooks();
    await checkout.create({ id: "OPEN", amount: 10 });
    const day0 = { from: "2026-11-22T00:00:00+03:00", to: DAY.from };
    expect((await checkout.report(day0)).open.underAnHour).toBe(0);
  });

  test("show what is still open from earlier days", async () => {
    const { checkout, paid, listPayment, webhook } = await openBooks();
    await paid(1);
    await webhook(listPayment(2, { account_reference: "O-1" }));
    await webhook(listPayment(3, { account_reference: "NOTHING" }));
    expect(kindsOf(await checkout.report(DAY))).toEqual(["no_order PAY-3", "paid_twice PAY-2"]);
    expect((await checkout.report(DAY)).openReviews).toEqual([]);
    const next = await checkout.report(DAY_2);
    expect(next.differences).toEqual([]);
    expect(next.openReviews).toMatchObject([
      { kind: "overpaid", orderId: "O-1", amount: "100.50", currency: "KES" },
      { kind: "unmatched", references: ["PAY-3"], amount: "100.50", currency: "KES" },
    ]);
    expect(next.summary).toBe("2 reviews of other payments are open, KES 201.00.");
  });

  test("have a payment around midnight on one day only, which is that of the payment", async () => {
    const midnight = Date.parse(DAY.to);
    const { checkout, paid, payments, unlisted } = await openBooks(midnight + 20_000);
    await paid(1, { created_at: "2026-11-24T00:00:15+03:00" });
    await paid(2, { created_at: "2026-11-23T23:59:59+03:00" });
    unlisted.push(payments.pop() as Listed);
    await paid(3, { created_at: "2026-11-24T00:00:00+03:00" });
    const [first, second] = [await checkout.report(DAY), await checkout.report(DAY_2)];
    expect(first.agrees).toEqual([{ currency: "KES", count: 1, amount: "100.50" }]);
    expect(second.agrees).toEqual([{ currency: "KES", count: 2, amount: "201.00" }]);
    expect([...kindsOf(first), ...kindsOf(second)]).toEqual([]);
  });

  test("know a payment by its number if it has no reference", async () => {
    const { checkout, listPayment, webhook } = await openBooks();
    await checkout.create({ id: "O-1", amount: "100.50", accountReference: "O-1" });
    const one = listPayment(1);
    delete one.reference;
    one.payment_id = 1;
    await webhook(one);
    expect((await checkout.get("O-1"))?.status).toBe("paid");
    for (const number of [2, 3]) {
      const stray = listPayment(number, { account_reference: `NOTHING-${number}` });
      delete stray.reference;
      stray.payment_id = number;
    }
    const report = await checkout.report(DAY);
    expect(kindsOf(report)).toEqual(["no_order payment_id:2", "no_order payment_id:3"]);
    expect(report.agrees).toEqual([{ currency: "KES", count: 1, amount: "100.50" }]);
    expect(await checkout.reviews.list()).toHaveLength(2);
  });

  test("that agree are one line that an owner understands", async () => {
    const { checkout, paid } = await openBooks();
    for (const number of [1, 2, 3]) await paid(number);
    await checkout.create({ id: "OPEN", amount: 10 });
    const report = await checkout.report(DAY);
    expect(report.summary).toBe("3 orders, KES 301.50, all at the service.");
    expect(report.open).toEqual({ underAnHour: 1, underADay: 0, underAWeek: 0, older: 0 });
  });

  test("are not an all-clear if the list could not be read whole, and say what was read", async () => {
    const { checkout, paid, failing } = await openBooks();
    for (let number = 1; number <= 150; number++) await paid(number);
    failing.add(2);
    const report = await withoutWaits(() => checkout.report(DAY));
    expect(report.isComplete).toBe(false);
    expect(report.summary).toMatch(
      /^This is not an all-clear\. The list of payments could not be read whole .* Of what was read: 150 orders/s,
    );
    // Those of the page that failed are asked for one by one.
    expect(report.agrees).toEqual([{ currency: "KES", count: 150, amount: "15075.00" }]);
    expect(report.differences).toEqual([]);
  });

  test("say that nothing was compared if nothing could be read, and what was not checked", async () => {
    const { checkout, failing, paid, payments } = await openBooks();
    failing.add(1);
    expect((await withoutWaits(() => checkout.report(DAY))).summary).toMatch(
      /^This is not an all-clear\. The list .* Nothing could be compared\.$/,
    );
    await paid(1);
    payments.length = 0;
    failing.clear();
    const get = vi.spyOn(checkout.gateway.payments, "get").mockRejectedValue(new Error("away"));
    const { summary } = await checkout.report(DAY);
    expect(summary).toContain(
      "1 payment of paid orders could not be read, and was not checked: PAY-1.",
    );
    get.mockRestore();
  });

  test("leave out the payments of another shop on the account", async () => {
    const { gateway, ...books } = await openBooks();
    await books.paid(1);
    const other = openShop(newSandbox(), memory({ now: () => NOON }).checkout(), {
      fetch: books.fetch,
      prefix: "B-",
    });
    const report = await other.checkout.report(DAY);
    expect(report.summary).toBe(NOTHING);
    expect(await other.checkout.reviews.list()).toEqual([]);
  });

  test.each([
    [{ from: "yesterday", to: DAY.to }, "`from`"],
    [{ from: DAY.to, to: DAY.from }, "`to`"],
  ])("have a time: %j", async (query, message) => {
    const { checkout } = await openBooks();
    await expect(checkout.report(query)).rejects.toThrow(message);
  });
});
