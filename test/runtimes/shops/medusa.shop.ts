// The provider of `examples/medusa` in the real Medusa, by its own Store API and Admin API.
import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPostgres, sharedRedis } from "../../support/engines/shared.ts";
import { shopRows } from "../../support/shop-rows.ts";
import { installMedusa, type MedusaStage, openMedusa, type ShopOrder } from "./medusa-stage.ts";

const databaseUrl = (await sharedPostgres())?.url ?? "";
const redisUrl = (await sharedRedis())?.url ?? "";

/** The part of an order that must be right: its status, what was captured, and what was paid back. */
const summary = ({
  status,
  payment_status,
  summary: { paid_total },
  payment_collections,
}: ShopOrder) => {
  const payments = payment_collections.flatMap((one) => one.payments);
  const amounts = (of: "captures" | "refunds") =>
    payments.flatMap((payment) => payment[of].map(({ amount }) => amount));
  return {
    ...{ status, payment: payment_status, paid: paid_total },
    ...{ captured: amounts("captures"), refunded: amounts("refunds") },
  };
};

const PAID = {
  ...{ status: "pending", payment: "captured", paid: 1800.5 },
  ...{ captured: [1800.5], refunded: [] },
};

const CANCELED = { ...PAID, status: "canceled", payment: "canceled", paid: 0, captured: [] };
const WAITING = { ...PAID, payment: "awaiting", paid: 0, captured: [] };

test("the example has at most 142 lines", () => {
  const files = globSync("examples/medusa/src/**/*.ts");
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/\*\*)/.test(line));
  expect(code.length).toBeLessThanOrEqual(142);
});

describe.skipIf(databaseUrl === "" || redisUrl === "")("a Medusa shop of two processes", () => {
  let shop: MedusaStage;
  const note = shopRows(() => `Medusa ${shop.version}`);
  beforeAll(async () => {
    shop = await openMedusa(installMedusa(), { databaseUrl, redisUrl });
  });
  afterAll(async () => {
    await shop?.close();
  });

  const phoneOf = (() => {
    let phones = 0;
    return () => `07120006${String(phones++).padStart(2, "0")}`;
  })();

  async function shows(done: string, id: string, expected: object) {
    await expect.poll(async () => summary(await shop.order(id))).toEqual(expected);
    note(expected, done);
  }

  /** The shop keeps its word about an order, and the money that came is to be paid back. */
  async function toBePaidBack(done: string, session: string, order: string) {
    await expect
      .poll(async () => (await shop.office.inspect(session))?.reviews.map(({ kind }) => kind))
      .toEqual(["refund_due"]);
    expect(summary(await shop.order(order))).toEqual(CANCELED);
    note(`${JSON.stringify(CANCELED)}, review refund_due`, done);
  }

  /** A customer who has placed an order. */
  async function placed() {
    const customer = await shop.customer();
    const session = await customer.choosePhone();
    const order = await customer.complete();
    return { ...customer, session, order };
  }

  /** A customer whose phone asks for the PIN. */
  async function asked(amount = "1800.50") {
    const customer = await placed();
    const number = phoneOf();
    const { payByPhone, session } = customer;
    expect(await payByPhone(session, number)).toMatchObject({ status: "pending", amount });
    return { ...customer, phone: shop.sandbox.phone(number), number };
  }

  test("captures the payment of an order once, and reserves its stock once", async () => {
    const { order, session, phone, goods } = await asked();
    phone.approve();
    await shows("pays", order, PAID);
    const delivery = shop.sandbox.deliveries
      .all()
      .findLast(({ event }) => event === "payment.completed");
    const { attempts } = await shop.sandbox.deliveries.resend(delivery?.id ?? "");
    expect(attempts.map(({ status }) => status)).toEqual([200, 200]);
    await shows("the webhook comes again", order, PAID);
    expect(await shop.payments(session)).toHaveLength(1);
    expect(await shop.reserved(goods)).toBe(1);
    expect(await shop.orders(goods)).toHaveLength(1);
  });

  test("lets a customer pay again after a declined payment", async () => {
    const { order, session, phone, number, payByPhone, phonePayment } = await asked();
    phone.cancel();
    const declined = () => phonePayment(session);
    await expect.poll(declined).toMatchObject({ status: "open", canPay: true });
    await shows("declines", order, WAITING);
    await payByPhone(session, number, 1);
    await expect.poll(() => phone.prompt).toBeDefined();
    phone.approve();
    await shows("pays again", order, PAID);
    expect(await shop.payments(session)).toHaveLength(2);
  });

  test("prompts once for two clicks at once, and places one order", async () => {
    const customer = await shop.customer();
    const session = await customer.choosePhone();
    const [order] = await Promise.all([customer.complete(), customer.complete()]);
    const phone = phoneOf();
    const click = () => customer.payByPhone(session, phone, 0);
    await Promise.all([click(), click()]);
    expect(await shop.payments(session)).toHaveLength(1);
    shop.sandbox.phone(phone).approve();
    await shows("clicks twice at once", order, PAID);
    expect(await shop.payments(session)).toHaveLength(1);
    expect(await shop.orders(customer.goods)).toHaveLength(1);
  });

  test("captures the payment of an order whose webhook is lost", async () => {
    const { order, phone } = await asked();
    await shop.sandbox.chaos({ drop: 1 }, async () => {
      phone.approve();
      await shows("its webhook is lost", order, PAID);
    });
  });

  test("captures a payment once that is made while both processes are dead", async () => {
    const { order, session, goods, payByPhone } = await placed();
    const number = phoneOf();
    const phone = shop.sandbox.phone(number);
    // The prompt is sent, and the service tells no process that asks.
    shop.sandbox.faults.add({
      match: { endpoint: "mobileMoney.initiate" },
      effect: { kind: "lostResponse" },
    });
    shop.sandbox.faults.add({ match: { endpoint: "payments.list" }, effect: { kind: "hang" } });
    const call = payByPhone(session, number).catch(String);
    await expect.poll(() => phone.prompt).toBeDefined();
    expect(await shop.end("SIGKILL")).toEqual(["SIGKILL", "SIGKILL"]);
    // A fast shop has answered before: that it does not know yet.
    await call;
    shop.sandbox.faults.clear();
    phone.approve();
    await shop.restart();
    await shows("pays, and the shop dies before it knows of the prompt", order, PAID);
    expect(await shop.payments(session)).toHaveLength(1);
    expect(await shop.orders(goods)).toHaveLength(1);
  });

  test("prompts once, and captures, if both are killed while they ask the phone", async () => {
    const { order, session, payByPhone } = await placed();
    const phone = phoneOf();
    await shop.killWhileAsking(phone, () => payByPhone(session, phone, 0));
    await shop.restart();
    shop.sandbox.phone(phone).approve();
    await shows("is asked, and the shop is dead before it knows", order, PAID);
    expect(await shop.payments(session)).toHaveLength(1);
  });

  test("believes nobody who says by the Store API that he has paid", async () => {
    const { order, session, complete, forge } = await placed();
    await forge(session);
    expect(await complete()).toBe(order);
    await shows("forges a payment", order, WAITING);
  });

  test("asks no phone for a cart, which may change until its order is placed", async () => {
    const { choosePhone, complete, take, payByPhone } = await shop.customer();
    const former = await choosePhone();
    const phone = phoneOf();
    await expect(payByPhone(former, phone)).rejects.toThrow("404");
    await take();
    const session = await choosePhone();
    const order = await complete();
    await expect(payByPhone(former, phone)).rejects.toThrow("404");
    await expect(payByPhone(session, "0712")).rejects.toThrow("400");
    expect(await payByPhone(session, phone)).toMatchObject({ amount: "3301.00" });
    shop.sandbox.phone(phone).approve();
    await shows("takes one more, and pays", order, { ...PAID, paid: 3301, captured: [3301] });
  });

  test("asks no phone for an order that staff canceled, and says what to pay back", async () => {
    const { order, session, phone, number, goods, payByPhone, phonePayment } = await asked();
    await shop.cancel(order);
    expect(await phonePayment(session)).toMatchObject({ status: "canceled", canPay: false });
    expect(await payByPhone(session, number, 1)).toMatchObject({ status: "canceled" });
    phone.approve();
    await toBePaidBack("pays what staff have canceled", session, order);
    expect(await shop.reserved(goods)).toBe(0);
  });

  test("asks nobody to cancel an order but staff", async () => {
    const { order, session, phone, phonePayment } = await asked();
    await expect(shop.stranger(`admin/orders/${order}/cancel`, {})).rejects.toThrow("401");
    expect(await phonePayment(session)).toMatchObject({ status: "pending" });
    phone.approve();
    await shows("a stranger cancels it, and the customer pays", order, PAID);
  });

  test("an order is canceled if staff cancel it before its money comes", async () => {
    const { order, session, phone } = await asked();
    const held = await shop.hold(order);
    const cancel = shop.cancel(order);
    await held.untilWaiting(1);
    phone.approve();
    await expect.poll(async () => (await shop.office.get(session))?.received).toBe("1800.50");
    await held.release();
    await cancel;
    await toBePaidBack("pays while staff cancel it", session, order);
  });

  test("an order is not canceled while Medusa records its money", async () => {
    const { order, goods, phone } = await asked();
    const held = await shop.hold(order);
    phone.approve();
    await held.untilWaiting(1);
    await expect(shop.cancel(order)).rejects.toThrow("It is being paid. Try again.");
    await held.release();
    await shows("staff cancel it while it is paid", order, PAID);
    expect(await shop.reserved(goods)).toBe(1);
  });

  test("records each refund of the shop once", async () => {
    const { order, session, phone } = await asked();
    phone.approve();
    await shows("pays", order, PAID);
    await shop.refund(order, 500);
    const part = { ...PAID, payment: "partially_refunded", refunded: [500] };
    await shows("staff pay a part back", order, part);
    await expect(shop.refund(order, 1300.51)).rejects.toThrow("1300.51 KES is more than");
    await shop.cancel(order);
    const { refunds = [] } = (await shop.office.inspect(session)) ?? {};
    expect(refunds.map(({ amount }) => amount)).toEqual(["500.00", "1300.50"]);
    note(summary(await shop.order(order)), "staff cancel it");
  });

  test("stops by SIGTERM", async () => {
    expect(await shop.end("SIGTERM")).toEqual([0, 0]);
  });
});
