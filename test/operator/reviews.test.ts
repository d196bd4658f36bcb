import { memory } from "malipo";
import { operatorHandler } from "malipo/operator";
import { describe, expect, test } from "vitest";
import { newSandbox, ORDER, openShop } from "../checkout/stage.ts";
import { OF_EACH, shopNight } from "./shop-night.ts";

const ADDRESS = "https://shop.test/operator";

async function openPage(options: Parameters<typeof shopNight>[0] = {}) {
  const shop = await shopNight(options);
  const { checkout } = shop;
  const authorize = () => ({ operator: "Amina" });
  // The gateway is that of the checkout.
  const handler = operatorHandler({ checkout, authorize, actions: true, takeBackMs: 0 });
  const get = async (query = "") => (await handler(new Request(ADDRESS + query))).text();
  /** Opens the first row of a list and decides it, by what the page offers. */
  const decide = async (list: string, cause: string, action: string) => {
    const rows = (await get(`?list=${list}`))
      .split("<li>")
      .slice(1)
      .filter((one) => one.includes(cause));
    const href = /href="([^"]+)"/.exec(rows[0] ?? "")?.[1]?.replaceAll("&amp;", "&") ?? "";
    const asked = await get(`${href}&do=${action}`);
    const form = /<form method="post" action="[^"]*" class="confirm.*?<\/form>/s.exec(asked)?.[0];
    const fields = [...(form ?? "").matchAll(/name="(\w+)" value="([^"]*)"/g)];
    const body = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
    const headers = { "sec-fetch-site": "same-origin" };
    return (await handler(new Request(ADDRESS, { method: "POST", body, headers }))).status;
  };
  return { ...shop, get, decide };
}

describe("requests that the service rejects", () => {
  test("are on the page with their cause, together if it is the same", async () => {
    const sandbox = newSandbox();
    const fetch = async (url: string, init: RequestInit) =>
      url.includes("payment/initiate")
        ? Response.json({ message: "The key <b>is revoked</b>." }, { status: 401 })
        : sandbox.fetch(url, init);
    const { checkout } = openShop(sandbox, memory().checkout(), { fetch });
    const handler = operatorHandler({ checkout, authorize: () => true });
    const get = async (query = "") => (await handler(new Request(ADDRESS + query))).text();
    expect(await get()).toContain('<a href="?list=rejected" class="zero">');
    await checkout.pay(ORDER);
    await checkout.pay({ ...ORDER, id: "ORDER-2" });
    const html = await get();
    expect(html).toMatch(/href="\?list=rejected">Rejected requests <b>2<\/b>/);
    expect(html).toMatch(/returned 401: The key &lt;b&gt;is revoked&lt;\/b&gt;\./);
    expect(html).toContain('<span class="badge bad">2</span>');
    expect(await get("?list=rejected")).toContain("<strong>ORDER-2</strong>");
    expect(await get("?list=rejected&item=rejected%3AORDER-2")).toContain("0712 *** 678");
  });
});

describe("the operator's page of a shop", () => {
  test("keeps who decided what in the store of the checkout, for every process", async () => {
    const { checkout, gateway, decide } = await openPage();
    await decide("twice", "more came", "refunded");
    const other = operatorHandler({ checkout, gateway, authorize: () => true });
    const html = await (await other(new Request(`${ADDRESS}?decisions=1`))).text();
    expect(html).toContain("<strong>Amina</strong>");
    expect(html).toMatch(/TWICE-\d, KES\u00a01,500\.00/);
    expect(html).not.toContain("a restart forgets them");
  });

  test.each([{ hasInbox: true }, { hasInbox: false }])(
    "shows all reviews in the lists of their money, with order, amount and phone: %j",
    async (options) => {
      const { get } = await openPage(options);
      const html = await get();
      expect(html).not.toContain("could not be read");
      const counts = [...html.matchAll(/href="\?list=(\w+)"[^>]*>[^<]+<b>(\d+)<\/b>/g)].map(
        ([, name, count]) => [name, Number(count)],
      );
      expect(counts.slice(0, 6)).toEqual([
        ["twice", OF_EACH],
        ["amount", 2 * OF_EACH],
        ["late", 2 * OF_EACH],
        ["refunds", OF_EACH],
        ["unknown", OF_EACH],
        ["goods", OF_EACH + 1],
      ]);
      expect(html).toContain("<strong>TWICE-1</strong>");
      expect(html).toMatch(/KES 1,500\.00<\/span> <span class="phone">0712 \*\*\* \d{3}</);
    },
  );

  test("answers each address, also one that no page leads to", async () => {
    const { checkout } = await openPage();
    const page = operatorHandler({ checkout, authorize: () => true });
    const statusOf = async (query: string) => (await page(new Request(ADDRESS + query))).status;
    expect(await statusOf("?q=%00")).toBe(200);
    expect(await statusOf("?order=%00")).toBe(200);
    expect(await statusOf("?payment=%00")).toBe(200);
    expect(await statusOf("?list=amount&item=%00")).toBe(200);
    for (const cursor of ["junk", "5:%00"])
      expect(await statusOf(`?q=KES+1.00&orders=${cursor}`)).toBe(400);
  });

  test("says that it cannot be shown, if the store does not respond", async () => {
    const { checkout } = await openPage();
    const find = () => Promise.reject(new Error("the store is away"));
    const page = operatorHandler({ checkout: { ...checkout, find }, authorize: () => true });
    const response = await page(new Request(`${ADDRESS}?q=1`));
    expect(response.status).toBe(500);
    expect(await response.text()).toMatch(/cannot be shown now: the store is away/);
  });

  test("shows the reviews of a list whose other entries cannot be read, and says so", async () => {
    const { checkout } = await openPage();
    const { receiver } = checkout;
    const list = () => Promise.reject(new Error("the inbox is away"));
    const broken = { ...receiver, doublePayments: { ...receiver.doublePayments, list } };
    const page = operatorHandler({
      checkout,
      receiver: broken as typeof receiver,
      authorize: () => true,
    });
    const get = async (query: string) => (await page(new Request(ADDRESS + query))).text();
    for (const query of ["", "?list=twice"]) {
      const html = await get(query);
      expect(html).toContain("<strong>TWICE-1</strong>");
      expect(html).toContain("Not everything could be read: the inbox is away");
    }
    expect(await get("")).toMatch(/Paid twice <b>\d\+<\/b>/);
  });

  test("leaves nothing after three reviews of each kind are decided", async () => {
    const { checkout, decide, get, given, restock } = await openPage();
    restock();
    for (let times = 0; times < OF_EACH; times++) {
      expect(await decide("twice", "more came", "refunded")).toBe(303);
      expect(await decide("amount", "paid KES\u00a01.00", "accept")).toBe(303);
      expect(await decide("amount", "another currency", "refunded")).toBe(303);
      expect(await decide("refunds", "canceled", "accept")).toBe(303);
      expect(await decide("late", "two different things", "dismiss")).toBe(303);
      expect(await decide("late", "no order", "refunded")).toBe(303);
      expect(await decide("unknown", "not known", "dismiss")).toBe(303);
      expect(
        await decide("goods", "could not hand over the goods. It tries again every", "accept"),
      ).toBe(303);
    }
    await checkout.reconcile();
    expect(await checkout.reviews.list()).toEqual([]);
    for (const id of ["LESS-1", "LATE-2", "GOODS-3"]) expect(given).toContain(id);
    expect(given).not.toContain("DOLLARS-1");
    const html = await get("?order=TWICE-1");
    expect(html).toMatch(/Paid back, by Amina: KES\u00a01,500\.00/);
    expect((await get("?decisions=1")).match(/<strong>Amina<\/strong>/g)).toHaveLength(8 * OF_EACH);
  });

  test("tells the story of an order in order of time", async () => {
    const { get } = await openPage();
    const html = await get("?order=TWICE-1");
    const steps = [
      "The order was made",
      "clicked &quot;pay&quot;: payment request 1, to 0712\u00a0***\u00a0001.",
      "The payment service took payment request 1: ",
      "of KES\u00a01,500.00 is completed.",
      "The order is paid.",
    ];
    const places = steps.map((one) => html.indexOf(one));
    expect(places).not.toContain(-1);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });

  test("finds an order by a whole phone number, which the page never shows", async () => {
    const { get } = await openPage();
    const html = await get("?q=0712000001");
    expect(html).toContain("Order TWICE-1");
    expect(html).not.toContain("Order TWICE-2");
    expect((await get()).includes("0712000001")).toBe(false);
  });

  test("says that a search by a phone may show another customer", async () => {
    const { get } = await openPage();
    const found = await get("?q=0712999678");
    expect(found).toContain("TWICE-1");
    expect(found).toContain("another customer may have the same ones");
    expect(await get("?q=TWICE-1")).not.toContain("another customer");
  });

  test("names the amount that came, in what happened and in what to do", async () => {
    const { checkout, get, deliver } = await openPage();
    const order = await checkout.get("TWICE-1");
    await deliver(order ?? { accountReference: "" }, "PAY-MORE", { amount: "200.00" });
    await checkout.reconcile();
    const html = await get("?list=twice");
    expect(html).toMatch(/KES\u00a0200\.00 more came\..*Pay KES\u00a0200\.00 back\./);
  });

  test.each([
    ["an empty label", "", "The customer typed no label"],
    ["no label", null, "The customer typed no label"],
    ["a phone for a label", "0712345623", "The customer typed the label"],
  ])("names a payment with %s by its reference", async (_, label, said) => {
    const { checkout, get, deliver } = await openPage();
    await deliver({ accountReference: "" }, "PAY-BLANK", { account_reference: label });
    await checkout.reconcile();
    const html = await get("?list=late");
    const [row = ""] = html.match(/<li><a class="row"[^>]*PAY-BLANK.*?<\/li>/) ?? [];
    expect(row).toContain("<strong>PAY-BLANK</strong>");
    expect(row).toContain(said);
  });

  test("tells the story of goods in the words of staff", async () => {
    const { get } = await openPage();
    const html = await get("?order=GOODS-1");
    expect(html).toContain("the system could not hand over the goods 12 times");
    expect(html).not.toMatch(/onPaid|webhook|prompt|attempt|Review:/i);
  });

  test("finds orders by their amount, in what waits and beside it", async () => {
    const { get, checkout } = await openPage();
    await checkout.create({ id: "RARE-1", amount: 777.5 });
    const html = await get("?q=KES+777.50");
    expect(html).toContain("Order RARE-1");
    expect(html).not.toContain("TWICE-1");
    expect(await get("?q=USD+777.50")).not.toContain("Order RARE-1");
    expect(await get("?q=1,500")).toContain("Order GOODS-NEW");
  });

  /** The page of the first item of a list whose cause has a text. */
  const itemOf = async (
    get: (query?: string) => Promise<string>,
    list: string,
    cause: string,
  ): Promise<string> => {
    const rows = (await get(`?list=${list}`)).split("<li>").slice(1);
    const row = rows.find((one) => one.includes(cause)) ?? "";
    return get(/href="([^"]+)"/.exec(row)?.[1]?.replaceAll("&amp;", "&") ?? "");
  };

  test("shows the payment that is to be paid back, though no prompt of the checkout made it", async () => {
    const { get, checkout } = await openPage();
    const html = await itemOf(get, "twice", "TWICE-1");
    const shown = html.slice(
      html.indexOf("At the payment service now"),
      html.indexOf("What happened"),
    );
    expect(shown).toMatch(/PAY-TWICE-1<\/strong> <span class="badge">this case/);
    const [own] = (await checkout.get("TWICE-1"))?.payments ?? [];
    expect(shown).toContain(own?.reference);
    // After the decision, the order still names it.
    const [review] = (await checkout.inspect("TWICE-1"))?.reviews ?? [];
    await checkout.reviews.resolve(review?.id ?? "", "refunded");
    expect(await get("?order=TWICE-1")).toContain("<strong>PAY-TWICE-1</strong>");
    expect((await checkout.get("TWICE-1"))?.payments).toMatchObject([
      { amount: "1500.00", isRefunded: false },
      { reference: "PAY-TWICE-1", amount: "1500.00", isRefunded: true },
    ]);
  });

  /** The page of a person, and what it answers to a decision about a review. */
  const pageOf = (
    checkout: Awaited<ReturnType<typeof shopNight>>["checkout"],
    operator: string,
    takeBackMs = 0,
  ) => {
    const authorize = () => ({ operator });
    const handler = operatorHandler({ checkout, authorize, actions: true, takeBackMs });
    return {
      get: async (query = "") => (await handler(new Request(ADDRESS + query))).text(),
      post: async (list: string, id: string, action: string) => {
        const body = new URLSearchParams({ list, id: `review:${id}`, action });
        const headers = { "sec-fetch-site": "same-origin" };
        const response = await handler(new Request(ADDRESS, { method: "POST", body, headers }));
        const location = response.headers.get("location") ?? "";
        return { status: response.status, location, html: await response.text() };
      },
    };
  };
  const reviewOf = async (
    checkout: Awaited<ReturnType<typeof shopNight>>["checkout"],
    order: string,
  ) => (await checkout.inspect(order))?.reviews[0]?.id ?? "";

  test("lets one of two people win who decide a review at the same moment, and tells the other", async () => {
    const { checkout } = await shopNight();
    const pages = [pageOf(checkout, "Amina"), pageOf(checkout, "Brian")] as const;
    for (const order of ["LESS-1", "LESS-2", "LESS-3"]) {
      const id = await reviewOf(checkout, order);
      const answers = await Promise.all([
        pages[0].post("amount", id, "accept"),
        pages[1].post("amount", id, "refunded"),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 422]);
      const isAccepted = answers[0].status === 303;
      const lost = answers.find(({ status }) => status === 422)?.html;
      // The one who comes second while the first decision is planned reads that, too.
      expect(lost).toMatch(
        isAccepted
          ? /Amina has decided|Goods given, by Amina/
          : /Brian has decided|Paid back, by Brian/,
      );
      expect(await checkout.inspect(order)).toMatchObject({
        ...{ status: isAccepted ? "paid" : "open", reviews: [] },
        payments: [{ isRefunded: !isAccepted }],
      });
    }
    const lines = (await checkout.decisions.read()) as { state: string; about?: string }[];
    expect(lines.filter(({ state }) => state === "done")).toHaveLength(3);
  });

  test("says who has decided what, and when, to a person whose page is older", async () => {
    const { checkout } = await shopNight();
    const id = await reviewOf(checkout, "LESS-1");
    await pageOf(checkout, "Amina").post("amount", id, "refunded");
    const brian = pageOf(checkout, "Brian");
    const says = /This case was decided before\. Paid back, by Amina\./;
    const { status, html } = await brian.post("amount", id, "accept");
    expect([status, html]).toEqual([422, expect.stringMatching(says)]);
    const item = new URLSearchParams({ list: "amount", item: `review:${id}` });
    expect(await brian.get(`?${item}`)).toMatch(new RegExp(`${says.source} <time`));
  });

  test.each([0, 3_600_000])(
    "shows a person who clicks twice the decision, with %i ms to take it back",
    async (takeBackMs) => {
      const { checkout } = await shopNight();
      const { post, get } = pageOf(checkout, "Amina", takeBackMs);
      const id = await reviewOf(checkout, "LESS-1");
      const first = await post("amount", id, "refunded");
      const again = await post("amount", id, "refunded");
      expect([first.status, again.status]).toEqual([303, 303]);
      expect(again.location).toBe(first.location);
      expect((await get("?decisions=1")).match(/<strong>Amina<\/strong>/g)).toHaveLength(1);
    },
  );

  test("notes a decision in the transaction that makes it", async () => {
    const { checkout } = await shopNight();
    const { append } = checkout.decisions;
    Object.assign(checkout.decisions, {
      append: (line: { state: string }) =>
        line.state === "done" ? Promise.reject(new Error("connection lost")) : append(line),
    });
    const { post, get } = pageOf(checkout, "Amina");
    const amount = await post("amount", await reviewOf(checkout, "LESS-1"), "refunded");
    const [stray] = (await checkout.reviews.list()).filter(({ kind }) => kind === "unmatched");
    const late = await post("late", stray?.id ?? "", "refunded");
    expect([amount.status, late.status]).toEqual([303, 303]);
    expect((await get("?decisions=1")).match(/<span class="badge good">done</g)).toHaveLength(2);
  });

  test("does not count a second payment of an order as paid, nor offer it", async () => {
    const { checkout, deliver } = await shopNight();
    const order = await checkout.get("LESS-1");
    const label = { accountReference: order?.accountReference ?? "" };
    await deliver(label, "PAY-MORE", { amount: "1600.00" });
    const { post, get } = pageOf(checkout, "Amina");
    const [first = "", second = ""] =
      (await checkout.inspect("LESS-1"))?.reviews.map(({ id }) => id) ?? [];
    expect((await post("amount", first, "accept")).status).toBe(303);
    const item = await get(`?${new URLSearchParams({ list: "amount", item: `review:${second}` })}`);
    expect(item).not.toContain("Give the goods…");
    expect(item).toContain("I have paid it back…");
    const { status, html } = await post("amount", second, "accept");
    expect(status).toBe(422);
    expect(html).toContain("Nothing was changed: The order is paid already");
    expect((await checkout.inspect("LESS-1"))?.reviews).toMatchObject([{ id: second }]);
  });

  test("ends the goods of an order whose money was paid back", async () => {
    const { checkout, given, restock } = await shopNight();
    const { post, get } = pageOf(checkout, "Amina");
    expect((await post("goods", await reviewOf(checkout, "GOODS-1"), "refunded")).status).toBe(303);
    restock();
    await checkout.reconcile();
    expect(given).not.toContain("GOODS-1");
    expect(await checkout.get("GOODS-1")).toMatchObject({ status: "paid", effect: "refunded" });
    expect(await get("?order=GOODS-1")).toContain("paid back, without goods");
    expect(await get("?list=goods")).not.toContain("GOODS-1<");
  });

  test("names the payment that was paid back in the log of decisions, and not the one that paid the order", async () => {
    const { decide, get, checkout } = await openPage();
    const good = (await checkout.get("TWICE-1"))?.payments[0]?.reference ?? "";
    await decide("twice", "more came", "refunded");
    const html = await get("?decisions=1");
    expect(html).toMatch(/TWICE-1, KES\u00a01,500\.00, <[^>]+>PAY-TWICE-1</);
    expect(html).not.toContain(good);
  });

  test("names what came, and the price, in the log of decisions", async () => {
    const { decide, get } = await openPage();
    await decide("amount", "paid KES\u00a01.00", "refunded");
    expect(await get("?decisions=1")).toContain("LESS-1, KES\u00a01.00 of KES\u00a01,500.00, ");
  });

  test("shows the code and the payer of money that no prompt brought, and no other phone", async () => {
    const { get } = await openPage();
    const row = (await get("?list=twice")).split("<li>").find((one) => one.includes("TWICE-1"));
    expect(row).toContain("KES 1,500.00");
    // That of the payer, whom the service has named.
    expect(row?.match(/0712 \*\*\* \d{3}/g)).toEqual(["0712 *** 678"]);
    expect(row).toContain('<span class="code">ERTGFL0X1U</span>');
  });

  test("finds an order by another amount that came for it", async () => {
    const { get } = await openPage();
    const html = await get("?q=1.00");
    expect(html).toContain("LESS-1");
    expect(html).toContain("The customer paid KES\u00a01.00.");
    expect(html).not.toContain("TWICE-1");
  });

  test("says what to do about money of no order, and when it was seen", async () => {
    const { get } = await openPage();
    const html = (await itemOf(get, "late", "no order")).split('id="item"')[1] ?? "";
    expect(html).toContain("KES 1,500.00");
    expect(html).toContain("Find out who paid, and for what.");
    expect(html).not.toContain("Nothing is known with its time.");
    expect(html).not.toContain("Give the goods, or pay");
  });

  test("says of goods that are due since when their order is paid", async () => {
    const { get, checkout } = await openPage();
    const { paidAt, createdAt } = (await checkout.get("GOODS-NEW")) ?? {};
    expect(Date.parse(paidAt ?? "")).toBeGreaterThanOrEqual(Date.parse(createdAt ?? ""));
    const html = await itemOf(get, "goods", "GOODS-NEW");
    expect(html).toContain(`datetime="${paidAt}"`);
    expect(html).toContain("within five minutes");
  });

  test("finds an order by the M-Pesa code that its customer reads out", async () => {
    const { get } = await openPage();
    const html = await get("?q=ertgfl0x2u");
    expect(html).toContain("TWICE-2");
    expect(html).not.toContain("TWICE-1");
  });

  test("finds money by what was typed as its label, and by its payer", async () => {
    const { get } = await openPage();
    expect(await get("?q=stranger+2")).toContain("STRANGER-2");
    const byPhone = await get("?q=0712345678");
    expect(byPhone).toContain("STRANGER-1");
    expect(byPhone).toContain("TWICE-3");
    expect(await get("?q=order+goods-1")).not.toContain("STRANGER");
  });

  test("says in its own words why goods were not handed over", async () => {
    const { get } = await openPage();
    const html = await itemOf(get, "goods", "GOODS-1");
    expect(html).toContain("It says: The stock does not respond.");
    expect(html).toContain(
      "The system could not hand over the goods: The stock does not respond. It is tried again.",
    );
    expect(await get("?order=GOODS-NEW")).toContain("It says: The stock does not respond.");
  });

  test("folds the lists with nothing to do", async () => {
    const { get } = await openPage();
    const folded = /<details>.*<\/details>/s.exec(await get())?.[0] ?? "";
    expect(folded).toContain("5 lists with nothing to do");
    expect(folded).toContain("Rejected requests");
    expect(folded).not.toContain("Paid twice");
  });

  test("shows whole numbers on demand, to a person who may read them", async () => {
    const { checkout } = await openPage();
    const [order] = (await checkout.list()).items;
    const query = `?order=${order?.id}`;
    const pageFor = async (mayReadPhones: boolean, more = "") => {
      const authorize = () => ({ operator: "Amina", mayReadPhones });
      const handler = operatorHandler({ checkout, authorize });
      return (await handler(new Request(ADDRESS + query + more))).text();
    };
    expect(await pageFor(false)).not.toContain("whole number");
    expect(await pageFor(false, "&whole=1")).not.toMatch(/2547120\d{5}/);
    const masked = await pageFor(true);
    expect(masked).toContain("Show the whole number");
    expect(masked).not.toMatch(/0712 \d{3} \d{3}/);
    expect(await pageFor(true, "&whole=1")).toMatch(/>0712 \d{3} \d{3}</);
  });
});
