import { setTimeout as sleep } from "node:timers/promises";
import type { CustomerOrder, Order } from "malipo/checkout";
import { describe, expect, it, vi } from "vitest";
import { ORDER, PHONE } from "../checkout/stage.ts";
import { checkoutDecisions } from "./checkout-decisions.ts";
import { checkoutOddities } from "./checkout-oddities.ts";
import { checkoutParts } from "./checkout-parts.ts";
import { checkoutRefunds } from "./checkout-refunds.ts";
import { checkoutRefusals } from "./checkout-refusals.ts";
import {
  type CheckoutUnderTest,
  completed,
  deliver,
  MINUTE_MS,
  promptsWith,
  referenceOf,
  suiteStage,
} from "./checkout-stage.ts";
import { checkoutUpdates } from "./checkout-updates.ts";

const rejected = () =>
  Response.json({ success: false, message: "The phone is not valid." }, { status: 422 });

export function checkoutSuite(name: string, underTest: CheckoutUnderTest): void {
  const stage = () => suiteStage(underTest);
  checkoutOddities(name, stage);
  checkoutDecisions(name, stage);
  checkoutParts(name, stage);
  checkoutUpdates(name, stage);
  checkoutRefusals(name, stage);
  checkoutRefunds(name, stage);

  describe(`${name}: a checkout`, () => {
    it("makes one prompt for a double click, in one process and in two", async () => {
      const { open, sandbox } = await stage();
      let prompts = 0;
      const fetch = promptsWith(sandbox, (send) => {
        prompts++;
        return send();
      });
      const [one, other] = [open({ fetch }), open({ fetch })];
      await one.checkout.start();
      await Promise.all([
        one.checkout.pay(ORDER),
        one.checkout.pay(ORDER, { after: 0 }),
        other.checkout.pay(ORDER),
      ]);
      expect(prompts).toBe(1);
      const order = await other.checkout.get(ORDER.id);
      expect(order?.attempts).toHaveLength(1);
    });

    it("pays an order by its webhook, and the webhook may come again", async () => {
      const { open, sandbox, later } = await stage();
      const { checkout, given } = open();
      const order = await checkout.pay(ORDER);
      const event = completed(order, referenceOf(order));
      for (let times = 0; times < 3; times++) {
        expect(await deliver(checkout, sandbox, "payment.completed", event)).toMatchObject({
          status: 200,
        });
      }
      await later(0, checkout);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        status: "paid",
        effect: "done",
        reviews: [],
      });
      expect(given).toEqual([ORDER.id]);
    });

    it("keeps a place for goods beside reads that have been due for longer", async () => {
      const { open, sandbox, clock } = await stage();
      const { checkout, store } = open();
      await checkout.pay(ORDER);
      const paid = await checkout.pay({ ...ORDER, id: "PAID", phone: "0712345679" });
      clock.advance(MINUTE_MS);
      const event = completed(paid, referenceOf(paid));
      await deliver(checkout, sandbox, "payment.completed", event);
      const due = await store.due(1);
      expect(due).toContainEqual({ id: ORDER.id, isPaid: false });
      expect(due).toContainEqual({ id: "PAID", isPaid: true });
    });

    it("a webhook that is not stored is not acknowledged", async () => {
      const { open, sandbox } = await stage();
      const { checkout, store } = open();
      const order = await checkout.pay(ORDER);
      vi.spyOn(store, "commit").mockRejectedValue(new Error("The disk is full."));
      const event = completed(order, referenceOf(order));
      expect(await deliver(checkout, sandbox, "payment.completed", event)).toMatchObject({
        status: 503,
      });
    });

    it("asks again after a failure, and reads the failed payment before", async () => {
      const { open, later, customer } = await stage();
      const { checkout, given } = open();
      await checkout.pay(ORDER);
      await customer("cancel");
      await later(10_000, checkout);
      const failed = await checkout.get(ORDER.id);
      expect(failed).toMatchObject({
        status: "open",
        canPay: true,
        attempts: [{ status: "failed" }],
      });
      // A tab that shows no attempt starts none.
      expect((await checkout.pay(ORDER, { after: 0 })).attempts).toHaveLength(1);
      const again = await checkout.pay(ORDER, { after: 1 });
      expect(again).toMatchObject({ status: "pending", attempts: [{}, { status: "pending" }] });
      await customer("approve");
      await later(10_000, checkout);
      expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid", received: "1500.00" });
      expect(given).toEqual([ORDER.id]);
    });

    it("rejects another amount for a known id, and takes another phone", async () => {
      const { open } = await stage();
      const { checkout } = open();
      await checkout.create(ORDER);
      const other = checkout.pay({ ...ORDER, amount: 1 });
      await expect(other).rejects.toMatchObject({ code: "order_conflict" });
      expect((await checkout.pay({ ...ORDER, phone: "0722000111" })).status).toBe("pending");
    });

    it("never shows a whole phone number, nor stores one", async () => {
      const { open } = await stage();
      const { checkout, store } = open();
      const order = await checkout.pay(ORDER);
      const { stored } = await store.read(ORDER.id);
      expect(JSON.stringify([order, stored])).not.toMatch(/712345678/);
      expect(order.attempts[0]?.phone).toBe("0712 *** 678");
    });

    it("reviews a second payment, another amount and money after the end, with one effect", async () => {
      const { open, sandbox, later } = await stage();
      const { checkout, given } = open({ partPayments: "review" });
      const order = await checkout.pay(ORDER);
      const report = (reference: string, of: CustomerOrder, more: object = {}) =>
        deliver(checkout, sandbox, "payment.completed", completed(of, reference, more));
      await report(referenceOf(order), order);
      await report("SECOND", order);
      const less = await checkout.create({ id: "ORDER-2", amount: "20.00" });
      await report("LESS", less, { amount: "1.00" });
      const over = await checkout.create({ id: "ORDER-3", amount: 30 });
      await checkout.cancel(over.id);
      await report("LATE", over);
      const foreign = await checkout.create({ id: "ORDER-4", amount: 40 });
      await report("FOREIGN", foreign, { currency: "UGX" });
      await report("STRANGER", order, { account_reference: "STRANGER" });
      await later(0, checkout);
      expect(given).toEqual([ORDER.id]);
      const reviews = await checkout.reviews.list();
      expect(reviews.map(({ kind, references }) => [kind, references.at(-1)])).toEqual([
        ["overpaid", "SECOND"],
        ["amount_mismatch", "LESS"],
        ["refund_due", "LATE"],
        ["currency_mismatch", "FOREIGN"],
        ["unmatched", "STRANGER"],
      ]);
      expect(await checkout.get("ORDER-2")).toMatchObject({ status: "open", canPay: true });
      await checkout.reviews.resolve(reviews[1]?.id ?? "", "accept");
      await checkout.reviews.resolve(reviews[4]?.id ?? "", "refunded");
      await later(0, checkout);
      expect(given).toEqual([ORDER.id, "ORDER-2"]);
      expect(await checkout.reviews.list()).toHaveLength(3);
    });

    it("calls onPaid until it has committed, and says so after twelve tries", async () => {
      const { open, sandbox, later } = await stage();
      let isBroken = true;
      const { checkout } = open({
        onPaid: () => {
          if (isBroken) throw new Error("There are no tickets.");
        },
      });
      const order = await checkout.pay(ORDER);
      await deliver(checkout, sandbox, "payment.completed", completed(order, referenceOf(order)));
      for (let times = 0; times < 14; times++) await later(5 * MINUTE_MS, checkout);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        status: "paid",
        effect: "due",
        reviews: [{ kind: "effect_failed" }],
      });
      isBroken = false;
      await later(5 * MINUTE_MS, checkout);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({ effect: "done", reviews: [] });
    });

    it("asks one phone for one order at a time, and three times in ten minutes", async () => {
      const { open, later, customer, clock } = await stage();
      const { checkout } = open({ attemptLimit: 9 });
      await checkout.pay(ORDER);
      const other = await checkout.pay({ ...ORDER, id: "ORDER-2" });
      expect(other).toMatchObject({ status: "open", canPay: false, attempts: [] });
      expect(other.message).toMatch(/Reject a request that you did not start/);
      for (let number = 1; number <= 3; number++) {
        await customer("cancel");
        await later(10_000, checkout);
        await checkout.pay(ORDER, { after: number });
      }
      const limited = await checkout.get(ORDER.id);
      expect(limited).toMatchObject({ status: "open", canPay: false, attempts: [{}, {}, {}] });
      expect(limited?.message).toMatch(/asked too often\. It can be asked again in \d+ minutes\./);
      clock.advance(10 * MINUTE_MS);
      expect((await checkout.pay(ORDER)).attempts).toHaveLength(4);
    });

    it("an outcome that is unknown closes itself, or becomes a review", async () => {
      const { open, sandbox, later } = await stage();
      const lost = async (send: () => Promise<Response>) => {
        await send();
        throw new TypeError("fetch failed");
      };
      const { checkout, given } = open({ fetch: promptsWith(sandbox, lost) });
      const order = await checkout.pay(ORDER);
      expect(order).toMatchObject({
        status: "pending",
        canPay: false,
        attempts: [{ status: "unknown" }],
      });
      await later(10_000, checkout);
      expect(await checkout.get(ORDER.id)).toMatchObject({ attempts: [{ status: "pending" }] });
      sandbox.phone(PHONE).approve();
      await sandbox.clock.advance("10s");
      await later(MINUTE_MS, checkout);
      expect(given).toEqual([ORDER.id]);
      const never = open({
        fetch: promptsWith(sandbox, async () => {
          throw new TypeError("fetch failed");
        }),
      });
      await never.checkout.pay({ ...ORDER, id: "ORDER-2", phone: "0722000111" });
      await later(31 * MINUTE_MS, never.checkout);
      expect(await never.checkout.inspect("ORDER-2")).toMatchObject({
        status: "pending",
        reviews: [{ kind: "unknown_outcome" }],
      });
    });

    it("a payment that is completed after it has failed is found by reads", async () => {
      const { open, sandbox, later } = await stage();
      let status = "failed";
      const fetch = async (url: string, init: RequestInit) => {
        const response = await sandbox.fetch(url, init);
        if (!/payments\/[^/?]+$/.test(url)) return response;
        const body = (await response.json()) as { data: object };
        return Response.json({ ...body, data: { ...body.data, status } });
      };
      const { checkout, given } = open({ fetch });
      await checkout.pay(ORDER);
      await later(10_000, checkout);
      expect(await checkout.get(ORDER.id)).toMatchObject({ attempts: [{ status: "failed" }] });
      status = "completed";
      await later(23 * 60 * MINUTE_MS, checkout);
      expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid" });
      expect(given).toEqual([ORDER.id]);
    });

    it("lists orders in pages, and an order ends at its time", async () => {
      const { open, clock, later } = await stage();
      const { checkout } = open();
      for (let at = 1; at <= 3; at++) {
        await checkout.create({
          id: `O-${at}`,
          amount: at,
          expiresAt: new Date(clock.now() + 1_000),
        });
      }
      const first = await checkout.list({ limit: 2 });
      expect(first.items.map(({ id }) => id)).toEqual(["O-1", "O-2"]);
      const rest = await checkout.list({ after: first.next });
      expect(rest.items.map(({ id }) => id)).toEqual(["O-3"]);
      await later(2_000, checkout);
      expect((await checkout.list({ status: "expired" })).items).toHaveLength(3);
      expect((await checkout.pay({ ...ORDER, id: "O-1", amount: 1 })).attempts).toEqual([]);
    });
  });

  describe(`${name}: a clock that is set`, () => {
    it("an hour back: an attempt is looked at as soon as before, and not without end", async () => {
      const { open, clock, customer, later } = await stage();
      const { checkout, given } = open();
      await checkout.pay(ORDER);
      await customer("approve");
      clock.advance(-60 * MINUTE_MS);
      const { processed } = await checkout.reconcile({ timeoutMs: 2_000 });
      expect(processed).toBeLessThan(5);
      await later(10_000, checkout);
      expect(given).toEqual([ORDER.id]);
    });

    it("an hour back: what is not due is not taken without end", async () => {
      const { open, clock } = await stage();
      const { checkout } = open();
      const expiresAt = new Date(clock.now() + 30 * MINUTE_MS);
      await checkout.create({ ...ORDER, expiresAt });
      clock.advance(-60 * MINUTE_MS);
      const { processed } = await checkout.reconcile({ timeoutMs: 2_000 });
      expect(processed).toBeLessThan(5);
    });

    it("two hours back: an attempt that was never sent ends two minutes later", async () => {
      const { open, clock, later } = await stage();
      const dying = open();
      vi.spyOn(dying.store.idempotency, "begin").mockReturnValue(new Promise(() => {}));
      void dying.checkout.pay(ORDER);
      const { checkout } = open();
      await expect.poll(() => checkout.get(ORDER.id)).toMatchObject({ status: "pending" });
      clock.advance(-120 * MINUTE_MS);
      for (let seconds = 0; seconds < 120; seconds += 10) await later(10_000, checkout);
      expect(await checkout.get(ORDER.id)).toMatchObject({ status: "open", canPay: true });
    });

    it("two hours back: a phone can be asked again within minutes", async () => {
      const { open, clock, later, customer } = await stage();
      const { checkout } = open();
      await checkout.pay(ORDER);
      expect(await checkout.pay({ ...ORDER, id: "ORDER-2" })).toMatchObject({ canPay: false });
      await customer("cancel");
      await later(10_000, checkout);
      clock.advance(-120 * MINUTE_MS);
      expect(await checkout.get("ORDER-2")).toMatchObject({ canPay: true });
      const other = await checkout.pay({ ...ORDER, id: "ORDER-2" });
      expect(other).toMatchObject({ status: "pending" });
    });
  });

  describe(`${name}: a payment without an order`, () => {
    it("is one review and one call of onReview, however often its webhook comes", async () => {
      const { open, sandbox } = await stage();
      const reviews: unknown[] = [];
      const { checkout } = open({ onReview: (review) => reviews.push(review) });
      const event = {
        reference: "R",
        status: "completed",
        amount: "1.00",
        currency: "KES",
        account_reference: "NONE",
      };
      for (let times = 0; times < 3; times++)
        await deliver(checkout, sandbox, "payment.completed", event);
      await checkout.reviews.resolve("unmatched:R", "refunded");
      await deliver(checkout, sandbox, "payment.completed", event);
      expect(reviews).toHaveLength(1);
      expect(await checkout.reviews.list()).toEqual([]);
    });

    it("is a review if the merchant has deleted its order", async ({ skip }) => {
      const { open, sandbox, deleteRows } = await stage();
      if (deleteRows === undefined) return skip("orders in memory cannot be deleted");
      const { checkout } = open();
      const order = await checkout.pay(ORDER);
      await deleteRows("orders");
      const event = completed(order, referenceOf(order));
      for (const says of ["received", "received before"]) {
        const { status, body } = await deliver(checkout, sandbox, "payment.completed", event);
        expect([status, JSON.parse(body).ResultDesc]).toEqual([200, says]);
      }
      expect(await checkout.reviews.list()).toMatchObject([
        { kind: "unmatched", references: [referenceOf(order)] },
      ]);
    });

    it("stays completed when a failure is reported after it", async () => {
      const { open, sandbox } = await stage();
      const other = open();
      const fetch = promptsWith(sandbox, async (send) => {
        const response = await send();
        const { data } = (await response.clone().json()) as { data: { reference: string } };
        const event = {
          reference: data.reference,
          amount: "1500.00",
          currency: "KES",
          account_reference: "CUT",
        };
        await deliver(other.checkout, sandbox, "payment.completed", {
          ...event,
          status: "completed",
        });
        const failed = { reference: data.reference, status: "failed" };
        await deliver(other.checkout, sandbox, "payment.failed", failed);
        return response;
      });
      expect(await open({ fetch }).checkout.pay(ORDER)).toMatchObject({ status: "paid" });
    });
  });

  describe(`${name}: a race`, () => {
    it("the first start is rejected while a second process looks: its prompt is never sent", async () => {
      const { open, sandbox, later } = await stage();
      let reject = () => {};
      let prompts = 0;
      const held = new Promise<void>((resolve) => {
        reject = resolve;
      });
      const fetch = promptsWith(sandbox, async () => {
        prompts++;
        await held;
        return rejected();
      });
      const [one, other] = [open({ fetch }), open()];
      const paying = one.checkout.pay(ORDER);
      await expect.poll(() => prompts).toBe(1);
      await later(6_000, other.checkout);
      await other.checkout.pay(ORDER);
      reject();
      expect(await paying).toMatchObject({
        status: "open",
        canPay: true,
        attempts: [{ status: "not_sent" }],
      });
      await later(6_000, other.checkout);
      const order = await other.checkout.get(ORDER.id);
      expect(order?.attempts).toMatchObject([{ number: 1, status: "not_sent" }]);
      expect(prompts).toBe(1);
    });

    it("a rejection that no customer can correct is seen by every process, until a prompt is sent", async () => {
      const { open, sandbox } = await stage();
      let isFixed = false;
      const fetch = promptsWith(sandbox, async (send) =>
        isFixed ? send() : Response.json({ message: "The key is revoked." }, { status: 401 }),
      );
      const [one, other] = [open({ fetch }), open()];
      await one.checkout.pay(ORDER);
      const order = await other.checkout.get(ORDER.id);
      expect(order?.attempts).toMatchObject([{ status: "not_sent", about: "shop" }]);
      const [rejection] = await other.checkout.rejections();
      expect(rejection).toMatchObject({ orderId: ORDER.id });
      expect(rejection?.reason).toContain("The key is revoked.");
      isFixed = true;
      await one.checkout.pay(ORDER);
      expect(await other.checkout.rejections()).toEqual([]);
    });

    it("a webhook comes before the response, in another process", async () => {
      const { open, sandbox, later } = await stage();
      const other = open();
      const fetch = promptsWith(sandbox, async (send) => {
        const response = await send();
        const { data } = (await response.clone().json()) as { data: { reference: string } };
        const order = (await other.checkout.get(ORDER.id)) as CustomerOrder;
        const event = completed(order, data.reference);
        const { status } = await deliver(other.checkout, sandbox, "payment.completed", event);
        expect(status).toBe(200);
        return response;
      });
      const { checkout } = open({ fetch });
      expect(await checkout.pay(ORDER)).toMatchObject({
        status: "paid",
        attempts: [{ status: "completed" }],
      });
      await later(0, other.checkout);
      expect(other.given).toEqual([ORDER.id]);
      expect(await checkout.reviews.list()).toEqual([]);
    });

    it("a failure comes before the response: it is stored until the reference is known", async () => {
      const { open, sandbox } = await stage();
      const other = open();
      const fetch = promptsWith(sandbox, async (send) => {
        const response = await send();
        const { data } = (await response.clone().json()) as { data: { reference: string } };
        const failed = {
          reference: data.reference,
          status: "failed",
          amount: "1500.00",
          user_message: "Cancelled.",
        };
        await deliver(other.checkout, sandbox, "payment.failed", failed);
        return response;
      });
      const { checkout } = open({ fetch });
      expect(await checkout.pay(ORDER)).toMatchObject({
        status: "open",
        attempts: [{ status: "failed" }],
      });
      expect(await checkout.reviews.list()).toEqual([]);
    });

    it("attempt 1 succeeds late while attempt 2 waits, then attempt 2 succeeds", async () => {
      const { open, sandbox, later, customer } = await stage();
      const { checkout, given } = open();
      await checkout.pay(ORDER);
      await customer("cancel");
      await later(10_000, checkout);
      const order = await checkout.pay(ORDER, { after: 1 });
      const report = (number: number) =>
        deliver(
          checkout,
          sandbox,
          "payment.completed",
          completed(order, referenceOf(order, number)),
        );
      await report(1);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({ status: "paid", reviews: [] });
      await report(2);
      await later(0, checkout);
      expect(await checkout.inspect(ORDER.id)).toMatchObject({
        status: "paid",
        received: "3000.00",
        reviews: [{ kind: "overpaid", references: [referenceOf(order, 1), referenceOf(order, 2)] }],
      });
      expect(given).toEqual([ORDER.id]);
    });

    it.each(["before", "after"])(
      "a process that is paused for 70 s %s it claims its key sends nothing",
      async (when) => {
        const { open, sandbox, later } = await stage();
        let prompts = 0;
        const count = promptsWith(sandbox, (send) => {
          prompts++;
          return send();
        });
        const paused = open({ fetch: count });
        const other = open({ fetch: count });
        const { begin } = paused.store.idempotency;
        let wake = () => {};
        const asleep = new Promise<void>((resolve) => {
          wake = resolve;
        });
        let sleeps = () => {};
        const fallsAsleep = new Promise<void>((resolve) => {
          sleeps = resolve;
        });
        vi.spyOn(paused.store.idempotency, "begin").mockImplementation(async (...args) => {
          const claimed = when === "after" ? await begin(...args) : undefined;
          sleeps();
          await asleep;
          return claimed ?? begin(...args);
        });
        const paying = paused.checkout.pay(ORDER);
        await fallsAsleep;
        await later(70_000, other.checkout);
        // A key that is claimed may be used until its lease ends.
        expect(await other.checkout.get(ORDER.id)).toMatchObject(
          when === "before"
            ? { status: "open", canPay: true, attempts: [{ status: "not_sent" }] }
            : { status: "pending", canPay: false, attempts: [{ status: "starting" }] },
        );
        const real = Date.now.bind(Date);
        const wall = vi.spyOn(Date, "now").mockImplementation(() => real() + 70_000);
        wake();
        await paying;
        wall.mockRestore();
        expect(prompts).toBe(0);
        expect((await other.checkout.get(ORDER.id))?.attempts).toMatchObject([
          { status: "not_sent" },
        ]);
      },
    );

    it("of two processes with one effect, one commits", async () => {
      const { open, sandbox } = await stage();
      const commits: string[] = [];
      const onPaid = async (
        order: Order,
        { transaction }: { transaction: (write: () => void) => Promise<void> },
      ) => {
        await sleep(20);
        await transaction(() => {
          commits.push(order.id);
        });
      };
      const [one, other] = [open({ onPaid }), open({ onPaid })];
      const order = await one.checkout.pay(ORDER);
      await deliver(
        one.checkout,
        sandbox,
        "payment.completed",
        completed(order, referenceOf(order)),
      );
      await Promise.all([one.checkout.reconcile(), other.checkout.reconcile()]);
      expect(commits).toEqual([ORDER.id]);
      expect(await other.checkout.get(ORDER.id)).toMatchObject({ effect: "done" });
    });
  });

  describe(`${name}: what a merchant looks up`, () => {
    it("is the history of an order, with who decided what", async () => {
      const { open, sandbox, customer } = await stage();
      const { checkout } = open();
      const order = await checkout.pay(ORDER);
      const reference = referenceOf(order);
      await customer("approve");
      await deliver(checkout, sandbox, "payment.completed", completed(order, reference));
      await checkout.reconcile();
      await deliver(checkout, sandbox, "payment.completed", completed(order, "PAY-SECOND"));
      const [review] = await checkout.reviews.list();
      await checkout.reviews.resolve(review?.id ?? "", "refunded", { by: "Amina" });
      const history = await checkout.history(ORDER.id);
      expect(
        history.map(({ text, by }) => (by === undefined ? text : `${text} By ${by}.`)),
      ).toEqual([
        "The order was made.",
        'The customer clicked "pay": attempt 1, phone 0712 *** 678.',
        `The service took the prompt of attempt 1: ${reference}.`,
        `A webhook says: the payment ${reference} of KES 1,500.00 is completed.`,
        "The order is paid.",
        "The goods were given: onPaid has committed.",
        "A webhook says: the payment PAY-SECOND of KES 1,500.00 is completed.",
        "Review: More came than the amount of the order. Pay the amount of this review back.",
        "A review was decided as refunded: More came than the amount of the order. Pay the amount of this review back. KES 1,500.00 (PAY-SECOND). By Amina.",
      ]);
      expect(await checkout.history("ORDER-NONE")).toEqual([]);
    });

    it("is an order by its id, payment, account reference or phone, and no other order", async () => {
      const { open } = await stage();
      const { checkout } = open();
      const order = await checkout.pay(ORDER);
      await checkout.create({ id: "ORDER-2", amount: 20, accountReference: "TWO" });
      const found = async (text: string) => (await checkout.find(text)).map(({ id }) => id);
      for (const text of [ORDER.id, referenceOf(order), "0712 345 678", "+254712345678"]) {
        expect([text, await found(text)]).toEqual([text, [ORDER.id]]);
      }
      expect(await found("two")).toEqual(["ORDER-2"]);
      expect(await found("0799999999")).toEqual([]);
    });

    it("is which paid orders wait for their goods", async () => {
      const { open, sandbox } = await stage();
      const onPaid = () => Promise.reject(new Error("no stock"));
      const { checkout } = open({ onPaid });
      const order = await checkout.pay(ORDER);
      await checkout.create({ id: "ORDER-2", amount: 20 });
      const due = async () => (await checkout.list({ goodsDue: true })).items.map(({ id }) => id);
      expect(await due()).toEqual([]);
      await deliver(checkout, sandbox, "payment.completed", completed(order, referenceOf(order)));
      await checkout.reconcile();
      expect(await due()).toEqual([ORDER.id]);
      expect((await checkout.history(ORDER.id)).at(-1)?.text).toBe(
        "onPaid failed: no stock. It is tried again.",
      );
    });
  });
}
