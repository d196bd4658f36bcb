// The plugin of `examples/vendure` in the real Vendure, by its own Shop API and Admin API.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPostgres } from "../support/engines/shared.ts";
import { shopRows } from "../support/shop-rows.ts";
import {
  installVendure,
  openVendure,
  type ShopOrder,
  type VendureStage,
} from "./support/vendure-shop.ts";

const engine = await sharedPostgres();

/** The part of an order that must be right: its state, what paid it, and how much stock is allocated. */
const summary = ({ state, payments, lines, history }: ShopOrder) => ({
  state,
  paid: payments.map(({ method, state: of, amount }) => `${method} ${of} ${amount}`),
  allocated: lines.map(({ productVariant }) => productVariant.stockLevels[0]?.stockAllocated),
  settled: history.items.filter(({ data }) => data.to === "PaymentSettled").length,
});

const CANCELED = { state: "Cancelled", paid: [], allocated: [0], settled: 0 };

test("the example has at most 130 lines", () => {
  const files = ["payments.ts", "plugin.ts"].map((file) => `examples/vendure/${file}`);
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/\*\*)/.test(line));
  expect(code.length).toBeLessThanOrEqual(130);
});

describe.skipIf(engine === undefined)("a Vendure shop of two processes", () => {
  let shop: VendureStage;
  const note = shopRows(() => `Vendure ${shop.version}`);
  beforeAll(async () => {
    shop = await openVendure(installVendure(), engine?.url ?? "");
    await shop.furnish();
  });
  afterAll(async () => {
    await shop?.close();
  });

  const phoneOf = (() => {
    let phones = 0;
    return () => `07120005${String(phones++).padStart(2, "0")}`;
  })();

  async function settled(done: string, code: string, amount = 180_050, allocated = 1) {
    const expected = {
      ...{ state: "PaymentSettled", paid: [`malipo Settled ${amount}`] },
      ...{ allocated: [allocated], settled: 1 },
    };
    await expect.poll(async () => summary(await shop.order(code))).toEqual(expected);
    note(expected, done);
  }

  /** A customer whose phone asks for the PIN. */
  async function asked(amount = "1800.50") {
    const customer = await shop.customer();
    const phone = phoneOf();
    expect(await customer.payByPhone(phone)).toMatchObject({ status: "pending", amount });
    return { ...customer, phone: shop.sandbox.phone(phone), number: phone };
  }

  /** The shop keeps its word about an order, and the money that came is to be paid back. */
  async function toBePaidBack(done: string, code: string, expected: object) {
    await expect
      .poll(async () => (await shop.office.inspect(code))?.reviews.map(({ kind }) => kind))
      .toEqual(["refund_due"]);
    expect(summary(await shop.order(code))).toEqual(expected);
    note(`${JSON.stringify(expected)}, review refund_due`, done);
  }

  test("settles an order once, and allocates its stock once", async () => {
    const { code, phone } = await asked();
    phone.approve();
    await settled("pays", code);
    const delivery = shop.sandbox.deliveries
      .all()
      .findLast(({ event }) => event === "payment.completed");
    const { attempts } = await shop.sandbox.deliveries.resend(delivery?.id ?? "");
    expect(attempts.map(({ status }) => status)).toEqual([200, 200]);
    await settled("the webhook comes again", code);
    expect(await shop.payments(code)).toHaveLength(1);
  });

  test("lets a customer pay again after a declined payment", async () => {
    const { code, phone, number, payByPhone, phonePayment } = await asked();
    phone.cancel();
    await expect.poll(phonePayment).toMatchObject({ status: "open", canPay: true });
    const { message } = await phonePayment();
    note(`${(await shop.order(code)).state}: ${message}`, "declines");
    expect(summary(await shop.order(code))).toMatchObject({ state: "ArrangingPayment", paid: [] });
    await payByPhone(number, 1);
    await expect.poll(() => phone.prompt).toBeDefined();
    phone.approve();
    await settled("pays again", code);
    expect(await shop.payments(code)).toHaveLength(2);
  });

  test("prompts once for two clicks at once", async () => {
    const { code, payByPhone } = await shop.customer();
    const phone = phoneOf();
    await Promise.all([payByPhone(phone, 0), payByPhone(phone, 0)]);
    expect(await shop.payments(code)).toHaveLength(1);
    shop.sandbox.phone(phone).approve();
    await settled("clicks twice at once", code);
    expect(await shop.payments(code)).toHaveLength(1);
  });

  test("settles an order whose webhook is lost", async () => {
    const { code, phone } = await asked();
    await shop.sandbox.chaos({ drop: 1 }, async () => {
      phone.approve();
      await settled("its webhook is lost", code);
    });
  });

  test("settles an order once that is paid while both processes are dead", async () => {
    const { code, phone } = await asked();
    expect(await shop.end("SIGKILL")).toEqual(["SIGKILL", "SIGKILL"]);
    phone.approve();
    await shop.restart();
    await settled("pays while the shop is dead", code);
    expect(await shop.payments(code)).toHaveLength(1);
  });

  test("prompts once, and settles the order, if both are killed while they ask the phone", async () => {
    const { code, payByPhone } = await shop.customer();
    const phone = phoneOf();
    await shop.killWhileAsking(phone, () => payByPhone(phone, 0));
    await shop.restart();
    shop.sandbox.phone(phone).approve();
    await settled("is asked, and the shop is dead before it knows", code);
    expect(await shop.payments(code)).toHaveLength(1);
  });

  test("believes nobody who says by the Shop API that he has paid", async () => {
    const { code, pay } = await shop.customer();
    const forged = { amount: "1800.50", currency: "KES", reference: "FORGED" };
    await expect(pay("malipo", forged)).rejects.toThrow("PAYMENT_DECLINED_ERROR");
    const order = summary(await shop.order(code));
    expect(order).toMatchObject({ state: "ArrangingPayment", allocated: [0], settled: 0 });
    note(order, "forges a payment");
  });

  test("does not let an order change while a phone is asked, but after that", async () => {
    const { code, phone, number, to, take, payByPhone, phonePayment } = await asked();
    const change = to("AddingItems");
    await expect(change).rejects.toThrow("A phone is asked to pay the order.");
    note(`${await change.catch(String)}`, "changes the cart while the phone rings");
    phone.cancel();
    await expect.poll(phonePayment).toMatchObject({ status: "open" });
    await to("AddingItems");
    await take(2);
    await to("ArrangingPayment");
    expect(await payByPhone(number, 1)).toMatchObject({ status: "pending", amount: "3301.00" });
    phone.approve();
    await settled("takes one more, and pays", code, 330_100, 2);
  });

  test("asks for what a gift card has not paid", async () => {
    const { code, pay, payByPhone } = await shop.customer();
    await pay("gift-card", { cents: 30_000 });
    const phone = phoneOf();
    expect(await payByPhone(phone)).toMatchObject({ status: "pending", amount: "1500.50" });
    shop.sandbox.phone(phone).approve();
    const expected = {
      ...{ state: "PaymentSettled", paid: ["gift-card Settled 30000", "malipo Settled 150050"] },
      ...{ allocated: [1], settled: 1 },
    };
    await expect.poll(async () => summary(await shop.order(code))).toEqual(expected);
    note(expected, "pays a part by gift card");
  });

  test("gives the goods once if two ways to pay are used, and says what to pay back", async () => {
    const { code, phone, pay } = await asked();
    await pay("gift-card", { cents: 200_000 });
    phone.approve();
    await toBePaidBack("pays by gift card while the phone rings", code, {
      ...{ state: "PaymentSettled", paid: ["gift-card Settled 180050"] },
      ...{ allocated: [1], settled: 1 },
    });
  });

  test("says what to pay back if the total is not what the phone was asked for", async () => {
    const { code, phone, pay } = await asked();
    await pay("gift-card", { cents: 30_000 });
    phone.approve();
    await toBePaidBack("pays a part by gift card while the phone rings", code, {
      state: "ArrangingPayment",
      paid: ["gift-card Settled 30000", "malipo Declined 150050"],
      ...{ allocated: [0], settled: 0 },
    });
  });

  test("asks no phone for an order that staff canceled, and says what to pay back", async () => {
    const { code, phone, number, payByPhone, phonePayment } = await asked();
    await shop.cancel(code);
    await expect.poll(phonePayment).toMatchObject({ status: "canceled", canPay: false });
    await expect(payByPhone(number, 1)).rejects.toThrow("Nothing to pay.");
    phone.approve();
    await toBePaidBack("pays what staff have canceled", code, CANCELED);
  });

  test.each(["first", "second"])(
    "an order is either settled or canceled if staff cancel it at the same moment: they come %s",
    async (place) => {
      const { code, phone } = await asked();
      const held = await shop.hold(code);
      let isCanceled: Promise<boolean> | undefined;
      const cancel = () => {
        const changed = (error: unknown) => {
          expect(`${error}`).toContain("The order has changed.");
          return false;
        };
        isCanceled = shop.cancel(code).then(() => true, changed);
      };
      const acts = [cancel, () => phone.approve()];
      for (const [at, act] of (place === "first" ? acts : acts.toReversed()).entries()) {
        act();
        await held.untilWaiting(at + 1);
      }
      await held.release();
      const done = `staff cancel and the customer pays at once, staff ${place}`;
      if (await isCanceled) await toBePaidBack(done, code, CANCELED);
      else await settled(done, code);
    },
  );

  test("records each refund of the shop once", async () => {
    const { code, phone } = await asked();
    phone.approve();
    await settled("pays", code);
    const [payment] = (await shop.order(code)).payments;
    const refund = async (amount: number) => {
      const { refundOrder } = await shop.admin<{ refundOrder: { id: string } }>(
        "mutation($input: RefundOrderInput!) { refundOrder(input: $input) { ... on Refund { id state } ... on ErrorResult { errorCode message } } }",
        { input: { paymentId: payment?.id, amount, lines: [], shipping: 0, adjustment: 0 } },
      );
      return refundOrder.id;
    };
    const settle = (id: string, transactionId: string) =>
      shop.admin(
        "mutation($input: SettleRefundInput!) { settleRefund(input: $input) { ... on Refund { state } ... on ErrorResult { errorCode message } } }",
        { input: { id, transactionId } },
      );
    const first = await refund(50_000);
    expect((await shop.office.inspect(code))?.refunds).toEqual([]);
    await settle(first, "SK12345678");
    await settle(await refund(130_050), "SK12345679");
    await settle(first, "SK12345678").catch(() => {});
    const { refunds = [] } = (await shop.office.inspect(code)) ?? {};
    const recorded = refunds.map(({ amount, reference, by }) => `${amount} ${reference} ${by}`);
    expect(recorded).toEqual([
      "500.00 SK12345678 administrator 1",
      "1300.50 SK12345679 administrator 1",
    ]);
    const [{ refunds: own = [] } = {}] = (await shop.order(code)).payments;
    note(own, "staff pay it back, in two parts");
  });

  test("stops by SIGTERM", async () => {
    expect(await shop.end("SIGTERM")).toEqual(["SIGTERM", "SIGTERM"]);
  });
});
