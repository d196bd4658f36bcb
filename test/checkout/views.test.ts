// What a customer may see of an order, and what only the merchant's staff sees.
import { memory } from "malipo";
import type { CustomerOrder, Order } from "malipo/checkout";
import { describe, expect, it } from "vitest";
import { completed, deliver, MINUTE_MS, promptsWith } from "../suites/checkout-stage.ts";
import { newSandbox, ORDER, openShop, PHONE, testClock } from "./stage.ts";

/** Everything that no customer may read begins with it, but for what malipo itself writes for staff. */
const STAFF = "STAFF";
const FOR_STAFF = /STAFF|onPaid|\breview|Amina/;
const AMINA = "Amina of the till";
const METADATA = { item: "Coffee", cost: `${STAFF}-17`, note: { text: `${STAFF} calls him` } };

type Options = Parameters<typeof openShop>[2];

function openViews(options: Options = {}) {
  const sandbox = newSandbox();
  const clock = testClock();
  const store = memory({ now: clock.now }).checkout();
  const shop = openShop(sandbox, store, { publicMetadata: ["item"], ...options });
  const { checkout } = shop;
  const merchant = { name: "Duka", contact: "0700 000 000" };
  const url = "https://shop.example/pay";
  const page = checkout.page({ merchant, secret: "0123456789abcdef", url });
  const later = async (ms = 0) => {
    clock.advance(ms);
    await checkout.reconcile();
  };
  const pay = (id: string) => checkout.pay({ ...ORDER, id, metadata: METADATA }, { after: 0 });
  const create = (id: string) =>
    checkout.create({ id, amount: ORDER.amount, description: "A bag", metadata: METADATA });
  const report = async (order: CustomerOrder, reference: string, more: object = {}) => {
    const event = completed(order, reference, more);
    await deliver(checkout, sandbox, "payment.completed", event);
  };
  /** Everything that a customer is told of an order. */
  const told = async (id: string): Promise<string> => {
    const request = new Request(`https://shop.example/orders/${encodeURIComponent(id)}`);
    const shown = await page(new Request(checkout.payLink(id)));
    return [
      JSON.stringify(await checkout.get(id)),
      JSON.stringify(await checkout.wait(id, { waitMs: 0 })),
      await (await checkout.statusHandler()(request)).text(),
      await shown.text(),
    ].join("\n");
  };
  return { ...shop, sandbox, page, later, pay, create, report, told };
}

type Views = ReturnType<typeof openViews>;

/** A case: what happens to an order, step by step. Customers look after each step. */
type Play = (on: Views, look: () => Promise<void>) => Promise<unknown>;

const rejected = () => Response.json({ message: `${STAFF}: the key is revoked` }, { status: 401 });

const CASES: readonly { readonly name: string; readonly play: Play; readonly options?: Options }[] =
  [
    { name: "is new", play: ({ create }) => create("O") },
    {
      name: "was not sent, for a cause of the merchant",
      play: ({ pay }) => pay("O"),
      options: {
        fetch: (url, init) => promptsWith(newSandbox(), async () => rejected())(url, init),
      },
    },
    {
      name: "is pending, and was canceled since it was paid elsewhere; money comes after that",
      play: async ({ pay, checkout, report }, look) => {
        const order = await pay("O");
        await look();
        await checkout.cancel("O", { reason: "paid_elsewhere" });
        await look();
        await report(order, "LATE");
      },
    },
    {
      name: "was refused, and then paid back",
      play: async ({ create, report, later, checkout }, look) => {
        await report(await create("O"), "ONE");
        await look();
        await later();
        await look();
        const reason = `${STAFF}: she was angry`;
        await checkout.refunds.add("O", { amount: 500, reason, by: AMINA });
        await look();
        await checkout.refunds.add("O", { amount: 1000, reason, by: AMINA });
      },
      options: { onPaid: (_, { refuse }) => refuse(`${STAFF}: the seat is gone`) },
    },
    {
      name: "was paid twice, with goods, and one payment was paid back",
      play: async ({ create, report, later, checkout }, look) => {
        const order = await create("O");
        await report(order, "ONE");
        await report(order, "TWO");
        await later();
        await look();
        const [review] = await checkout.reviews.list();
        await checkout.reviews.resolve(review?.id ?? "", "refunded", { by: AMINA });
      },
    },
    {
      name: "has other money, which a person accepts",
      play: async ({ create, report, later, checkout }, look) => {
        const order = await create("O");
        await report(order, "DOLLARS", { currency: "USD" });
        await report(order, "LESS", { amount: "1.00" });
        await look();
        const [review] = await checkout.reviews.list();
        await checkout.reviews.resolve(review?.id ?? "", "accept", { by: AMINA });
        await later();
      },
      options: { partPayments: "review" },
    },
    {
      name: "is contradicted, and canceled with its money",
      play: async ({ create, report, checkout }, look) => {
        const order = await create("O");
        await report(order, "ONE", { amount: "20.00" });
        await report(order, "ONE", { amount: "30.00" });
        await look();
        await checkout.update("O", { metadata: { ...METADATA, more: STAFF } });
        await look();
        await checkout.cancel("O");
      },
    },
    {
      name: "has goods that cannot be given, or of which that is not known",
      play: async ({ create, report, later, checkout }, look) => {
        await report(await create("O"), "ONE");
        for (let times = 0; times < 14; times++) await later(10 * MINUTE_MS);
        await look();
        const [review] = await checkout.reviews.list();
        await checkout.reviews.resolve(review?.id ?? "", "refunded", { by: AMINA });
      },
      options: {
        onPaid: () => {
          throw new Error(`${STAFF}: the printer is on fire`);
        },
      },
    },
  ];

describe("the order of a customer", () => {
  it.each(CASES)(
    "that $name has no word for staff, and only public metadata",
    async ({ play, options }) => {
      const on = openViews(options);
      const look = async () => {
        const told = await on.told("O");
        expect(told).not.toMatch(FOR_STAFF);
        expect(told).toContain('"metadata":{"item":"Coffee"}');
      };
      await play(on, look);
      await look();
      // What the calls of a shop return is what `get` returns.
      const paid = await on.checkout.pay({ ...ORDER, id: "O" }, { after: 0 });
      expect(JSON.stringify(paid)).not.toMatch(FOR_STAFF);
      const canceled = await on.checkout.cancel("O");
      expect(JSON.stringify(canceled)).not.toMatch(FOR_STAFF);
      expect(JSON.stringify(await on.checkout.inspect("O"))).toMatch(FOR_STAFF);
    },
  );

  it("has no other field than these: one more is a decision", async () => {
    const on = openViews();
    const order = await on.pay("O");
    await on.report(order, order.attempts[0]?.reference ?? "");
    await on.later();
    await on.checkout.refunds.add("O", { amount: 1, reference: "RB1", reason: STAFF, by: AMINA });
    const seen = (await on.checkout.get("O")) as CustomerOrder;
    expect(Object.keys(seen).sort()).toEqual(
      [
        ...["accountReference", "amount", "attempts", "canPay", "createdAt", "currency", "due"],
        ...["effect", "id", "message", "messageCode", "metadata", "paidAt", "payments"],
        ...["received", "refunds", "status", "updatedAt"],
      ].sort(),
    );
    expect(seen.attempts.map(Object.keys)).toEqual([["number", "status", "phone", "reference"]]);
    expect(seen.refunds.map(Object.keys)).toEqual([["amount", "currency", "at", "reference"]]);
  });

  it("has no metadata, if none is public or none of that was given", async () => {
    const none = openViews({ publicMetadata: [] });
    expect(await none.create("O")).not.toHaveProperty("metadata");
    const other = openViews({ publicMetadata: ["seat", "toString", "__proto__"] });
    expect(await other.create("O")).not.toHaveProperty("metadata");
    const own = openViews({ publicMetadata: ["__proto__"] });
    const metadata = JSON.parse('{"__proto__": {"isAdmin": true}}');
    const order = await own.checkout.create({ id: "P", amount: 1, metadata });
    expect(order.metadata?.isAdmin).toBeUndefined();
    expect(JSON.stringify(order.metadata)).toBe('{"__proto__":{"isAdmin":true}}');
  });
});

describe("the order of the staff", () => {
  it("has all: inspect, list, find, onPaid, onChange, refunds and decisions", async () => {
    const orders: Order[] = [];
    const on = openViews({
      onPaid: (order, { refuse }) => {
        orders.push(order);
        return refuse(`${STAFF}: the seat is gone`);
      },
      onChange: ({ order }) => orders.push(order),
    });
    const { checkout } = on;
    await on.report(await on.create("O"), "ONE");
    await on.later();
    expect(orders.length).toBeGreaterThan(2);
    const added = await checkout.refunds.add("O", { amount: 1, reason: STAFF, by: AMINA });
    const [listed] = (await checkout.list()).items;
    const [found] = await checkout.find("O");
    const inspected = await checkout.inspect("O");
    expect([listed, found, added]).toEqual([inspected, inspected, inspected]);
    expect(inspected?.refunds).toMatchObject([{ amount: "1.00", reason: STAFF, by: AMINA }]);
    expect(inspected?.reviews[0]?.message).toContain("the seat is gone");
    const [review] = await checkout.reviews.list();
    orders.push((await checkout.reviews.resolve(review?.id ?? "", "refunded")) as Order, added);
    for (const order of orders) expect(order.metadata).toEqual(METADATA);
    expect(await checkout.inspect("NONE")).toBeUndefined();
  });

  it("has why the service rejected a request", async () => {
    const on = openViews({ fetch: async () => rejected() });
    await on.checkout.pay({ ...ORDER, phone: PHONE });
    const inspected = await on.checkout.inspect(ORDER.id);
    expect(inspected?.attempts).toMatchObject([
      { about: "shop", reason: expect.stringContaining("the key is revoked") },
    ]);
  });

  it("goes to the function that makes the link back to the shop", async () => {
    const on = openViews();
    await on.create("O");
    await on.checkout.cancel("O");
    const returnUrl = ({ metadata }: Order) => `https://shop.example/${metadata.item}`;
    const merchant = { name: "Duka" };
    const page = on.checkout.page({
      ...{ merchant, returnUrl, secret: "0123456789abcdef", url: "https://shop.example/pay" },
    });
    const shown = await (await page(new Request(on.checkout.payLink("O")))).text();
    expect(shown).toContain("https://shop.example/Coffee");
  });
});

it.each([["item"], "item", { item: true }, [""], [7], null])(
  "createCheckout takes a list of names as publicMetadata: %j",
  (publicMetadata) => {
    const open = () => openShop(newSandbox(), memory().checkout(), { publicMetadata } as Options);
    if (JSON.stringify(publicMetadata) === '["item"]') expect(open).not.toThrow();
    else expect(open).toThrow(/publicMetadata/);
  },
);
