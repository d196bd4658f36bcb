import { describe, expect, it, vi } from "vitest";
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

/** What a service, a merchant or a stranger does that no shop expects. */
export function checkoutOddities(name: string, stage: Stage): void {
  it(`${name}: the log of decisions is one for all processes, in one order`, async () => {
    const { open } = await stage();
    const shops = [open(), open()];
    const lines = Array.from({ length: 40 }, (_, at) => ({ decision: `d${at}`, state: "planned" }));
    const added = lines.map((line, at) => shops[at % 2]?.checkout.decisions.append(line));
    await Promise.all(added);
    const [one, other] = await Promise.all(shops.map(({ checkout }) => checkout.decisions.read()));
    expect(one).toHaveLength(40);
    expect(one).toEqual(expect.arrayContaining(lines));
    expect(other).toEqual(one);
    await shops[0]?.checkout.decisions.append({ decision: "d0", state: "done" });
    expect((await shops[1]?.checkout.decisions.read())?.at(-1)).toEqual({
      decision: "d0",
      state: "done",
    });
  });

  it(`${name}: an order whose requests are rejected has at most ten attempts for each that is allowed`, async () => {
    const { open, sandbox } = await stage();
    const rejected = async () => Response.json({ message: "no" }, { status: 422 });
    const { checkout, store } = open({
      attemptLimit: 2,
      fetch: promptsWith(sandbox, rejected),
      phoneLimit: 1_000,
    });
    for (let click = 0; click < 60; click++) await checkout.pay(ORDER);
    const order = await checkout.get(ORDER.id);
    expect(order?.attempts).toHaveLength(20);
    expect(order).toMatchObject({ status: "open", canPay: false });
    expect(order?.message).toMatch(/too many attempts.*contact us/i);
    const { stored } = await store.read(ORDER.id);
    await checkout.pay(ORDER);
    expect((await store.read(ORDER.id)).stored).toEqual(stored);
  });

  it(`${name}: says that the checkout was stopped, whatever is called then`, async () => {
    const { open } = await stage();
    const { checkout } = open();
    await checkout.pay(ORDER);
    const page = checkout.page({
      merchant: { name: "Duka" },
      secret: "0123456789abcdef0123456789abcdef",
      url: "https://shop.example/pay",
    });
    const link = checkout.payLink(ORDER.id);
    await checkout.stop();
    await checkout.stop();
    const day = { from: "2026-11-23T00:00:00+03:00", to: "2026-11-24T00:00:00+03:00" };
    const calls = {
      pay: () => checkout.pay(ORDER),
      create: () => checkout.create({ ...ORDER, id: "ORDER-2" }),
      get: () => checkout.inspect(ORDER.id),
      list: () => checkout.list(),
      find: () => checkout.find(ORDER.id),
      history: () => checkout.history(ORDER.id),
      cancel: () => checkout.cancel(ORDER.id),
      wait: () => checkout.wait(ORDER.id),
      report: () => checkout.report(day),
      start: () => checkout.start(),
      reconcile: () => checkout.reconcile(),
      "reviews.list": () => checkout.reviews.list(),
      "reviews.resolve": () => checkout.reviews.resolve("unmatched:R", "dismiss"),
      "decisions.append": () => checkout.decisions.append({}),
      "decisions.read": () => checkout.decisions.read(),
    };
    for (const [called, call] of Object.entries(calls)) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error, called).toMatchObject({ code: "configuration" });
      expect(String(error), called).toMatch(/checkout was stopped/);
    }
    const url = `http://shop.example/${ORDER.id}`;
    expect((await checkout.statusHandler()(new Request(url))).status).toBe(503);
    expect((await page(new Request(link))).status).toBe(500);
  });

  it(`${name}: neither keeps nor shows a whole phone in what the service says of a failure`, async () => {
    const { open, sandbox } = await stage();
    const { checkout, store } = open();
    const order = await checkout.pay(ORDER);
    const failed = completed(order, referenceOf(order), {
      status: "failed",
      failure_reason: "9999: rejected for 0712/987/654",
      user_message:
        "Ask Asha at 0712.987.654 or ０７１２\u200b９８７\u00a0６５４. You owe 1500000.00.",
    });
    await deliver(checkout, sandbox, "payment.failed", failed);
    const { stored } = await store.read(ORDER.id);
    const shown = await checkout.get(ORDER.id);
    expect(shown?.message).toBe("Ask Asha at 0712***654 or 0712***654. You owe 1500000.00.");
    const url = new URL(`http://shop.example/${ORDER.id}`);
    const page = await checkout.statusHandler()(new Request(url));
    expect(
      JSON.stringify([stored, shown, await checkout.history(ORDER.id), await page.json()]),
    ).not.toMatch(/987.654|９８７/);
  });

  it(`${name}: an amount of any length is no amount of an order, and is kept and shown shortened`, async () => {
    const { open, sandbox } = await stage();
    const { checkout } = open();
    const order = await checkout.pay(ORDER);
    for (const [at, amount] of ["9".repeat(60_000), `${"0".repeat(60_000)}1500.00`].entries()) {
      const event = completed(order, at === 0 ? referenceOf(order) : "OTHER", {
        amount,
        currency: "K".repeat(60_000),
      });
      await deliver(checkout, sandbox, "payment.completed", event);
    }
    const read = await checkout.get(ORDER.id);
    expect(read).toMatchObject({ received: "0.00", effect: "none" });
    expect(read?.payments.map(({ amount }) => amount)).toEqual([
      `${"9".repeat(20)}…`,
      `${"0".repeat(20)}…`,
    ]);
    expect(JSON.stringify(await checkout.history(ORDER.id)).length).toBeLessThan(2_000);
  });

  it(`${name}: payments whose references and labels are longer than any key are kept, each once`, async () => {
    const { open, sandbox } = await stage();
    const { checkout } = open();
    await checkout.create(ORDER);
    // Longer than a key of MariaDB, and alike as far as one reaches; the last ones have four bytes a character.
    const long = [256, 300, 5_000].map((length) => "R".repeat(length));
    const references = [...long, `${"😀".repeat(255)}a`, `${"😀".repeat(255)}b`];
    const payment = { status: "completed", amount: "5.00", currency: "KES" };
    for (const says of ["received", "received before"]) {
      for (const [at, reference] of references.entries()) {
        const label = `${"L".repeat(300)}${at}`;
        const data = { ...payment, payment_id: 9_000 + at, reference, account_reference: label };
        const { status, body } = await deliver(checkout, sandbox, "payment.completed", data);
        expect([status, JSON.parse(body).ResultDesc]).toEqual([200, says]);
      }
    }
    const reviews = await checkout.reviews.list();
    expect(new Set(reviews.map(({ id }) => id)).size).toBe(references.length);
    for (const { id } of reviews) await checkout.reviews.resolve(id, "dismiss");
    expect(await checkout.reviews.list()).toEqual([]);
    expect(await checkout.get(ORDER.id)).toMatchObject({ status: "open", received: "0.00" });
  });

  describe(`${name}: an order that was deleted`, () => {
    it("leaves its payment as one review, also if another order has its label", async ({
      skip,
    }) => {
      const { open, sandbox, deleteRows } = await stage();
      if (deleteRows === undefined) return skip("orders in memory cannot be deleted");
      const { checkout } = open();
      const order = await checkout.pay({ ...ORDER, accountReference: "UNIT-12" });
      await deleteRows("orders");
      await checkout.create({ ...ORDER, id: "ORDER-2", accountReference: "UNIT-12" });
      const event = completed(order, referenceOf(order));
      for (const says of ["received", "received before"]) {
        const { status, body } = await deliver(checkout, sandbox, "payment.completed", event);
        expect([status, JSON.parse(body).ResultDesc]).toEqual([200, says]);
      }
      expect(await checkout.reviews.list()).toMatchObject([
        { kind: "unmatched", references: [referenceOf(order)] },
      ]);
      expect(await checkout.get("ORDER-2")).toMatchObject({ status: "open", received: "0.00" });
    });

    it("is not made again once its customer was asked", async ({ skip }) => {
      const { open, sandbox, later, deleteRows } = await stage();
      if (deleteRows === undefined) return skip("orders in memory cannot be deleted");
      const { checkout, given } = open();
      const order = await checkout.pay(ORDER);
      const event = completed(order, referenceOf(order));
      await deliver(checkout, sandbox, "payment.completed", event);
      await later(0, checkout);
      expect(given).toEqual([ORDER.id]);
      await deleteRows("orders");
      await later(11 * MINUTE_MS, checkout);
      const again = checkout.pay(ORDER);
      await expect(again).rejects.toMatchObject({ code: "order_conflict" });
      await expect(again).rejects.toThrow(/was deleted.*Use a new id/);
      await deliver(checkout, sandbox, "payment.completed", event);
      await later(10_000, checkout);
      expect(given).toEqual([ORDER.id]);
      // One whose customer was never asked is as if it had never been.
      await checkout.create({ ...ORDER, id: "ORDER-2" });
      await deleteRows("orders");
      const other = await checkout.pay({ ...ORDER, id: "ORDER-2", phone: "0722000111" });
      expect(other).toMatchObject({ status: "pending" });
    });

    it.each(["open", "canceled", "expired"])(
      "and made again, %s, is not paid by the payment that it had before",
      async (state) => {
        const { open, sandbox, later, deleteRows, clock } = await stage();
        if (deleteRows === undefined) return;
        const { checkout, given } = open();
        const order = await checkout.pay(ORDER);
        const event = completed(order, referenceOf(order));
        await deliver(checkout, sandbox, "payment.completed", event);
        await later(0, checkout);
        await deleteRows("orders", "prompts");
        await later(11 * MINUTE_MS, checkout);
        const expiresAt = new Date(clock.now() + 1_000);
        if (state === "expired") await checkout.create({ ...ORDER, expiresAt });
        else await checkout.pay(ORDER);
        if (state === "canceled") await checkout.cancel(ORDER.id);
        await later(10_000, checkout);
        for (let times = 0; times < 2; times++)
          await deliver(checkout, sandbox, "payment.completed", event);
        await later(10_000, checkout);
        expect(given).toEqual([ORDER.id]);
        const made = await checkout.get(ORDER.id);
        expect(made).toMatchObject({ effect: "none", received: "0.00" });
        expect((await checkout.reviews.list()).map(({ kind }) => kind)).toEqual(["unmatched"]);
      },
    );
  });

  describe(`${name}: one payment`, () => {
    it("does not pay a second order by another reference and label", async () => {
      const { open, sandbox } = await stage();
      const { checkout } = open();
      const [one, other] = await Promise.all([
        checkout.create(ORDER),
        checkout.create({ ...ORDER, id: "ORDER-2" }),
      ]);
      const same = { payment_id: 77 };
      await deliver(checkout, sandbox, "payment.completed", completed(one, "FIRST", same));
      const again = await deliver(
        checkout,
        sandbox,
        "payment.completed",
        completed(other, "SECOND", same),
      );
      expect(again.status).toBe(200);
      expect(await checkout.get("ORDER-2")).toMatchObject({ status: "open", payments: [] });
      expect(await checkout.reviews.list()).toMatchObject([
        { kind: "contradiction", orderId: ORDER.id, references: ["SECOND"] },
      ]);
    });

    it("that first came without its reference pays no second order by it", async () => {
      const { open, sandbox } = await stage();
      const { checkout } = open();
      const one = await checkout.create(ORDER);
      const other = await checkout.create({ ...ORDER, id: "ORDER-2" });
      const named = completed(other, "LATER", { payment_id: 78 });
      const unnamed = { ...completed(one, "", { payment_id: 78 }), reference: undefined };
      for (const event of [unnamed, named])
        await deliver(checkout, sandbox, "payment.completed", event);
      expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid" });
      expect(await checkout.get("ORDER-2")).toMatchObject({ status: "open", payments: [] });
    });

    it("whose contradiction was dismissed is a review again if it says something else", async () => {
      const { open, sandbox } = await stage();
      const { checkout } = open();
      const order = await checkout.create(ORDER);
      const event = completed(order, "P-1");
      const send = (more: object = {}) =>
        deliver(checkout, sandbox, "payment.completed", { ...event, ...more });
      await send();
      const ids = new Set<string>();
      for (const amount of ["7.00", "8.00"]) {
        await send({ amount });
        const [review] = await checkout.reviews.list();
        expect(review).toMatchObject({ kind: "contradiction", references: ["P-1"] });
        ids.add(review?.id ?? "");
        await checkout.reviews.resolve(review?.id ?? "", "dismiss");
        // Delivered again, it says nothing new.
        await send({ amount });
        expect(await checkout.reviews.list()).toEqual([]);
      }
      expect(ids.size).toBe(2);
    });
  });

  it(`${name}: a review of an order "unmatched" is not that of a payment without an order`, async () => {
    const { open, sandbox } = await stage();
    const { checkout } = open({ partPayments: "review" });
    const order = await checkout.create({ ...ORDER, id: "unmatched" });
    const wrong = completed(order, "R", { amount: "1.00" });
    const stranger = { ...wrong, reference: "amount_mismatch:R", account_reference: "NONE" };
    for (const event of [wrong, { ...stranger, payment_id: 5 }])
      await deliver(checkout, sandbox, "payment.completed", event);
    const reviews = await checkout.reviews.list();
    expect(reviews.map(({ kind }) => kind).sort()).toEqual(["amount_mismatch", "unmatched"]);
    expect(new Set(reviews.map(({ id }) => id)).size).toBe(2);
    const ofStranger = reviews.find(({ kind }) => kind === "unmatched");
    await checkout.reviews.resolve(ofStranger?.id ?? "", "refunded");
    expect(await checkout.reviews.list()).toMatchObject([
      { kind: "amount_mismatch", orderId: "unmatched" },
    ]);
  });

  /** Texts that a database does not take, or takes in no index. */
  const TEXTS = [
    ["a NUL", "A\0B"],
    ["half a character", "A\ud800B"],
    ["400 kB", "x".repeat(400_000)],
  ] as const;

  describe.each(TEXTS)(`${name}: a text with %s`, (_, text) => {
    it("in any field of an event is acknowledged, and its money is seen by a person", async () => {
      const { open, sandbox } = await stage();
      const { checkout, errors } = open();
      const order = await checkout.create(ORDER);
      const wrong = completed(order, "R", { account_reference: "NONE" });
      const names = ["reference", "account_reference", "transaction_id", "amount", "currency"];
      for (const [at, field] of [...names, "status", "payment_id"].entries()) {
        const event = { ...wrong, reference: `R-${at}`, payment_id: 900 + at, [field]: text };
        for (const says of ["received", "received before"]) {
          const { status, body } = await deliver(checkout, sandbox, "payment.completed", event);
          expect([field, status, JSON.parse(body).ResultDesc]).toEqual([field, 200, says]);
        }
      }
      const failed = { ...wrong, reference: text, status: "failed", user_message: text };
      expect((await deliver(checkout, sandbox, "payment.failed", failed)).status).toBe(200);
      const reviews = await checkout.reviews.list();
      expect(reviews).toHaveLength(7);
      for (const { id } of reviews) await checkout.reviews.resolve(id, "dismiss");
      expect(await checkout.reviews.list()).toEqual([]);
      expect(errors.map(String).filter((one) => !/a payment without an order/.test(one))).toEqual(
        [],
      );
    });

    it("in the reference of a payment does not hide that it pays an order, nor two of them", async () => {
      const { open, sandbox } = await stage();
      const { checkout } = open();
      const order = await checkout.create(ORDER);
      for (const reference of [text, `${text}2`])
        await deliver(checkout, sandbox, "payment.completed", completed(order, reference));
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        status: "paid",
        received: "3000.00",
        reviews: [{ kind: "overpaid" }],
      });
    });

    it("in the kind of an event is acknowledged, and a dead letter if the store keeps events", async () => {
      const { open, sandbox } = await stage();
      const { checkout, store } = open();
      expect((await deliver(checkout, sandbox, text, { id: 1 })).status).toBe(200);
      const letters = await checkout.receiver.deadLetters.list();
      expect(letters).toHaveLength(store.inbox === undefined ? 0 : 1);
    });

    it("names no order, no payment and no review", async () => {
      const { open } = await stage();
      const { checkout } = open();
      await checkout.create(ORDER);
      expect(await checkout.get(text)).toBeUndefined();
      expect(await checkout.wait(text, { waitMs: 1 })).toBeUndefined();
      expect(await checkout.cancel(text)).toBeUndefined();
      expect(await checkout.history(text)).toEqual([]);
      expect(await checkout.find(text)).toEqual([]);
      for (const id of [text, `unmatched:${text}`, `%00${text}`])
        await expect(checkout.reviews.resolve(id, "dismiss")).rejects.toThrow(/no open review/);
      await expect(checkout.list({ status: text as never })).rejects.toThrow(/status/);
      const notMade = checkout.create({ ...ORDER, id: text });
      await expect(notMade).rejects.toMatchObject({ code: "invalid_params" });
      const path = encodeURIComponent(text.replaceAll("\ud800", "")).slice(0, 2_000);
      const request = new Request(`https://shop.test/status/${path}`);
      expect((await checkout.statusHandler()(request)).status).toBeLessThan(500);
    });
  });

  it(`${name}: a list goes on after no text that it has not returned`, async () => {
    const { open } = await stage();
    const { checkout } = open();
    for (const after of ["5:A\0B", "junk"])
      await expect(checkout.list({ after })).rejects.toMatchObject({ code: "configuration" });
  });

  describe(`${name}: what a service says`, () => {
    it("a payment that failed and is open again is waited for, and not without end", async () => {
      const { open, sandbox, later, clock } = await stage();
      const { checkout } = open();
      const order = await checkout.pay(ORDER);
      const failed = { reference: referenceOf(order), status: "failed", failure_reason: "x" };
      await deliver(checkout, sandbox, "payment.failed", failed);
      // The sandbox goes on to say "pending": the customer has not answered.
      const blocked = await checkout.pay(ORDER, { after: 1 });
      expect(blocked).toMatchObject({ status: "open", canPay: false, attempts: [{}] });
      expect(blocked.message).toMatch(/request on your phone/);
      clock.advance(10_000);
      expect(await checkout.get(ORDER.id)).toMatchObject({ canPay: true });
      await later(3 * MINUTE_MS, checkout);
      expect((await checkout.pay(ORDER, { after: 1 })).attempts).toHaveLength(1);
      await later(2 * MINUTE_MS, checkout);
      expect((await checkout.pay(ORDER, { after: 1 })).attempts).toHaveLength(2);
    });

    it("a failed payment that is open again is asked for as soon as it is final", async () => {
      const { open, sandbox, customer } = await stage();
      const { checkout } = open();
      const order = await checkout.pay(ORDER);
      const failed = { reference: referenceOf(order), status: "failed", failure_reason: "x" };
      await deliver(checkout, sandbox, "payment.failed", failed);
      expect((await checkout.pay(ORDER, { after: 1 })).attempts).toHaveLength(1);
      await customer("cancel");
      expect((await checkout.pay(ORDER, { after: 1 })).attempts).toHaveLength(2);
    });

    it("a stored result that cannot be read leaves the attempt unknown, and is a review", async () => {
      const { open, later, sandbox } = await stage();
      const unread = async (send: () => Promise<Response>) => {
        await send();
        return new Promise<Response>(() => {});
      };
      const dying = open({ fetch: promptsWith(sandbox, unread) });
      dying.checkout.pay(ORDER).catch(() => {});
      const { checkout, gateway } = open();
      await expect.poll(() => checkout.get(ORDER.id)).toBeDefined();
      const { get } = gateway.idempotency;
      vi.spyOn(gateway.idempotency, "get").mockImplementation(async (...args) => {
        const found: object = await get.apply(gateway.idempotency, args);
        return { ...found, state: "succeeded", reference: undefined } as never;
      });
      await later(10_000, checkout);
      await later(31 * MINUTE_MS, checkout);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        status: "pending",
        canPay: false,
        attempts: [{ status: "unknown" }],
        reviews: [{ kind: "unknown_outcome" }],
      });
    });

    it("a failure with a label comes before the response: it is stored, too", async () => {
      const { open, sandbox } = await stage();
      const other = open();
      const fetch = promptsWith(sandbox, async (send) => {
        const response = await send();
        const { data } = (await response.clone().json()) as { data: { reference: string } };
        const order = await other.checkout.get(ORDER.id);
        const failed = {
          reference: data.reference,
          status: "failed",
          account_reference: order?.accountReference,
          user_message: "Cancelled.",
        };
        for (const says of ["received", "received before"]) {
          const { body } = await deliver(other.checkout, sandbox, "payment.failed", failed);
          expect(JSON.parse(body).ResultDesc).toBe(says);
        }
        return response;
      });
      const { checkout } = open({ fetch });
      expect(await checkout.pay(ORDER)).toMatchObject({
        status: "open",
        attempts: [{ status: "failed" }],
      });
      expect(await checkout.reviews.list()).toEqual([]);
    });

    it("money without an amount is not received until the amount is known", async () => {
      const { open, sandbox } = await stage();
      const { checkout } = open();
      const order = await checkout.create(ORDER);
      const event = completed(order, "UNKNOWN", { amount: undefined });
      await deliver(checkout, sandbox, "payment.completed", event);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        received: "0.00",
        reviews: [{ kind: "amount_mismatch" }],
      });
      await deliver(checkout, sandbox, "payment.completed", { ...event, amount: "20.00" });
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        received: "20.00",
        reviews: [{ kind: "amount_mismatch" }],
      });
    });

    it("a contradiction that a person accepts pays the order, once", async () => {
      const { open, sandbox, later } = await stage();
      const { checkout, given, errors } = open();
      const order = await checkout.pay(ORDER);
      const event = completed(order, referenceOf(order));
      const wrong = { ...event, status: "pending" };
      await deliver(checkout, sandbox, "payment.completed", wrong);
      expect(errors.map(String).join()).toMatch(/a review of its order/);
      expect(errors.map(String).join()).not.toMatch(/dead letter/);
      const [review] = await checkout.reviews.list();
      expect(review?.kind).toBe("contradiction");
      const accepted = await checkout.reviews.resolve(review?.id ?? "", "accept");
      expect(accepted).toMatchObject({ status: "paid", reviews: [] });
      await deliver(checkout, sandbox, "payment.completed", event);
      await later(0, checkout);
      expect(given).toEqual([ORDER.id]);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({ received: "1500.00", reviews: [] });
    });
  });

  it(`${name}: payments of one order that come at once are written one after another`, async () => {
    const { open, sandbox } = await stage();
    const { checkout, store, errors } = open();
    const order = await checkout.create(ORDER);
    const commit = vi.spyOn(store, "commit");
    const payments = Array.from({ length: 40 }, (_, at) =>
      completed(order, `P-${at}`, { payment_id: at }),
    );
    const responses = await Promise.all(
      payments.map((event) => deliver(checkout, sandbox, "payment.completed", event)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await checkout.get(ORDER.id))?.payments).toHaveLength(40);
    // Each is written by its first try.
    expect(commit.mock.calls).toHaveLength(40);
    expect(errors).toEqual([]);
  });

  it(`${name}: payments of one order that come to several processes at once are all written`, async () => {
    const { open, sandbox } = await stage();
    const shops = [open(), open(), open()];
    const order = await shops[0]?.checkout.create(ORDER);
    if (order === undefined) throw new Error("no order");
    const delivered = Array.from({ length: 30 }, (_, at) => {
      const event = completed(order, `P-${at}`, { payment_id: at });
      const { checkout } = shops[at % 3] as (typeof shops)[number];
      return deliver(checkout, sandbox, "payment.completed", event);
    });
    const statuses = (await Promise.all(delivered)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await shops[1]?.checkout.get(ORDER.id))?.payments).toHaveLength(30);
  });

  describe(`${name}: an order`, () => {
    it("is another one with another item, and the same one with the same item", async () => {
      const { open } = await stage();
      const { checkout } = open();
      const metadata = { item: "Tea", note: undefined, size: { ml: 200, cups: 1 } };
      await checkout.create({ ...ORDER, metadata });
      const same = { item: "Tea", size: { cups: 1, ml: 200 } };
      for (const known of [{ metadata: same }, {}])
        expect(await checkout.create({ ...ORDER, ...known })).toMatchObject({ status: "open" });
      const others = [{ metadata: { item: "Coffee" } }, { accountReference: "OTHER" }];
      for (const other of others) {
        const made = checkout.pay({ ...ORDER, ...other });
        await expect(made).rejects.toMatchObject({ code: "order_conflict" });
        await expect(made).rejects.toThrow(`has another \`${Object.keys(other)[0]}\``);
      }
    });

    it("says in its review whether its goods were given", async () => {
      const { open, sandbox, later } = await stage();
      const { checkout } = open();
      const order = await checkout.pay(ORDER);
      for (const reference of [referenceOf(order), "SECOND"])
        await deliver(checkout, sandbox, "payment.completed", completed(order, reference));
      const says = async () => (await checkout.reviews.list()).map(({ message }) => message);
      expect(await says()).toEqual([expect.stringMatching(/The goods are not given yet/)]);
      await later(0, checkout);
      expect(await says()).toEqual([expect.stringMatching(/The goods were given, once/)]);
    });
  });

  describe(`${name}: a phone`, () => {
    it("is not asked for a second order while a late prompt of the first may be open", async () => {
      const { open, later } = await stage();
      const { checkout } = open({ promptWithinMs: 300_000 });
      await checkout.pay(ORDER);
      const other = { ...ORDER, id: "ORDER-2" };
      await later(7 * MINUTE_MS, checkout);
      expect(await checkout.pay(other)).toMatchObject({ canPay: false, attempts: [] });
      await later(2 * MINUTE_MS, checkout);
      expect(await checkout.pay(other)).toMatchObject({ status: "pending" });
    });

    it("gets at most six prompts in a day that nobody approves, over all orders", async () => {
      const { open, customer, later, clock } = await stage();
      const { checkout } = open();
      const asked = async (order: number, does: "approve" | "cancel") => {
        const made = await checkout.pay({ ...ORDER, id: `ORDER-${order}` });
        if (made.status === "pending") await customer(does);
        await later(10 * MINUTE_MS, checkout);
        return made;
      };
      for (let order = 1; order <= 5; order++) await asked(order, "cancel");
      // What the customer paid for is no annoyance.
      for (let order = 6; order <= 9; order++) await asked(order, "approve");
      expect(await asked(10, "cancel")).toMatchObject({ status: "pending" });
      const limited = await asked(11, "cancel");
      expect(limited).toMatchObject({ status: "open", canPay: false, attempts: [] });
      expect(limited.message).toMatch(/can be asked again in 23 hours/);
      clock.advance(23 * 60 * MINUTE_MS);
      expect(await checkout.pay({ ...ORDER, id: "ORDER-11" })).toMatchObject({ status: "pending" });
    });

    it("that had another request says so until that is over", async () => {
      const { open, clock } = await stage();
      const { checkout } = open();
      await checkout.pay(ORDER);
      await checkout.pay({ ...ORDER, id: "ORDER-2" });
      expect((await checkout.get("ORDER-2"))?.message).toMatch(/Another payment request is open/);
      clock.advance(5 * MINUTE_MS);
      expect(await checkout.get("ORDER-2")).toMatchObject({
        canPay: true,
        message: "Not paid yet.",
      });
    });
  });
}
