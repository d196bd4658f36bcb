// What a cashier reads about money that was decided, and about money that is not.
import { operatorHandler } from "malipo/operator";
import { describe, expect, test } from "vitest";
import { shopNight } from "./shop-night.ts";

const ADDRESS = "https://shop.test/operator";

async function openPage() {
  const shop = await shopNight();
  const { checkout } = shop;
  const authorize = () => ({ operator: "Wanjiru" });
  const handler = operatorHandler({ checkout, authorize, actions: true, takeBackMs: 0 });
  /** The page as text, without its markup. */
  const get = async (query = "") => (await handler(new Request(ADDRESS + query))).text();
  const read = async (query = "") =>
    (await get(query))
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll("&quot;", '"')
      .replaceAll(/\s+/g, " ")
      .replaceAll(/ (?=[.,:)])/g, "")
      .replaceAll("( ", "(");
  const decide = async (list: string, review: string, action: string, more = {}) => {
    const body = new URLSearchParams({ list, id: `review:${review}`, action, ...more });
    const headers = { "sec-fetch-site": "same-origin" };
    const response = await handler(new Request(ADDRESS, { method: "POST", body, headers }));
    expect(response.status).toBe(303);
    return response.headers.get("location") ?? "";
  };
  const reviewOf = async (order: string) => (await checkout.inspect(order))?.reviews[0]?.id ?? "";
  const caseOf = async (list: string, order: string, more = {}) => {
    const item = `review:${await reviewOf(order)}`;
    return `?${new URLSearchParams({ list, item, ...more })}`;
  };
  return { ...shop, get, read, decide, reviewOf, caseOf };
}

describe("money of no order that was decided", () => {
  const NAMES = ["STRANGER-9", "stranger 9", "PAY-9", "SGR5K1TT9P", "0712 345 678", "1,234"];

  async function strangerPage(decision: string) {
    const page = await openPage();
    await page.deliver({ accountReference: "STRANGER-9" }, "PAY-9", {
      amount: "1234.00",
      transaction_id: "SGR5K1TT9P",
    });
    await page.decide("late", "unmatched:PAY-9", decision);
    return page;
  }

  test.each(NAMES)("is found by %s, with what was decided and who did it", async (name) => {
    const { get, read } = await strangerPage("refunded");
    const query = `?q=${encodeURIComponent(name)}`;
    expect(await read(query)).toMatch(/PAY-9 .*KES 1,234\.00 .*Paid back, by Wanjiru/);
    expect(await get(query)).toContain("?payment=PAY-9");
  });

  test("says on its own page that it was paid back, by whom and when", async () => {
    const { read } = await strangerPage("refunded");
    expect(await read("?payment=PAY-9")).toMatch(/Paid back, by Wanjiru \d+ \w+ \d{4}/);
    expect(await read("?payment=PAY-9")).not.toContain("Nothing is known with its time.");
  });

  test("says that it was kept, and does not say that it was paid back", async () => {
    const { read } = await strangerPage("dismiss");
    for (const query of ["?payment=PAY-9", "?q=STRANGER-9"]) {
      expect(await read(query)).toContain("Money kept, by Wanjiru");
      expect(await read(query)).not.toContain("Paid back");
    }
  });

  test("is found if it was decided without the page", async () => {
    const { checkout, read } = await openPage();
    await checkout.reviews.resolve("unmatched:PAY-STRANGER-2", "refunded", { by: "Brian" });
    expect(await read("?q=STRANGER-2")).toContain("Paid back, by Brian");
  });

  test("has a link to its case while it waits", async () => {
    const { get } = await openPage();
    expect(await get("?payment=PAY-STRANGER-1")).toContain(
      'href="?list=late&amp;item=review%3Aunmatched%3APAY-STRANGER-1">Open the case</a>',
    );
  });

  test("of an order names it, and says that it was paid back", async () => {
    const { decide, reviewOf, get, read } = await openPage();
    await decide("twice", await reviewOf("TWICE-1"), "refunded");
    expect(await get("?payment=PAY-TWICE-1")).toContain('href="?order=TWICE-1"');
    expect(await read("?payment=PAY-TWICE-1")).toContain("paid back by Wanjiru");
  });
});

describe("the page of an order", () => {
  test.each([
    ["TWICE-1", "twice"],
    ["LESS-1", "amount"],
    ["DOLLARS-1", "amount"],
    ["LATE-1", "refunds"],
    ["UNCLEAR-1", "late"],
    ["GOODS-1", "goods"],
    ["UNKNOWN-1", "unknown"],
  ])("%s leads to its case, before all else", async (order, list) => {
    const { get, read, caseOf } = await openPage();
    const html = await get(`?order=${order}`);
    expect(await read(`?order=${order}`)).toContain("A case of this order waits.");
    const href = (await caseOf(list, order)).replaceAll("&", "&amp;");
    expect(html).toContain(`href="${href}">Open the case</a>`);
    const form = html.indexOf('<form method="post"');
    if (form > 0) expect(html.indexOf("Open the case")).toBeLessThan(form);
  });

  test("says nothing of a case if none waits", async () => {
    const { get } = await openPage();
    expect(await get("?order=GOODS-NEW")).not.toContain("A case of this order waits");
  });

  test("fills in no amount of a refund, before a case is decided or after it", async () => {
    const { get, decide, reviewOf } = await openPage();
    for (const times of [1, 2]) {
      const html = await get("?order=TWICE-1");
      expect(html).toContain("<details><summary>Note a refund</summary>");
      expect(html).toContain(`at most ${times === 1 ? "3,000.00" : "1,500.00"}`);
      expect(html).toContain('name="amount" value=""');
      if (times === 1) await decide("twice", await reviewOf("TWICE-1"), "refunded");
    }
  });

  test("says what came and does not count, and asks for no sum that does not add up", async () => {
    const { read, decide, reviewOf } = await openPage();
    const before = await read("?order=LESS-1");
    expect(before).toContain("received KES 1.00, which its case decides");
    expect(before).not.toContain("left to pay");
    await decide("amount", await reviewOf("LESS-1"), "dismiss");
    const after = await read("?order=LESS-1");
    expect(after).toContain("received KES 1.00, which does not count · left to pay KES 1,500.00");
  });

  test("names in its history what was done, by the words of the buttons", async () => {
    const { read, decide, reviewOf, checkout } = await openPage();
    const payment = (await checkout.get("LATE-2"))?.payments[0]?.reference ?? "";
    for (const [list, order, decision] of [
      ["twice", "TWICE-1", "refunded"],
      ["twice", "TWICE-2", "dismiss"],
      ["refunds", "LATE-2", "accept"],
      ["unknown", "UNKNOWN-1", "dismiss"],
      ["goods", "GOODS-1", "accept"],
    ] as const)
      await decide(list, await reviewOf(order), decision);
    expect(await read("?order=TWICE-1")).toContain(
      "Paid back, by Wanjiru: KES 1,500.00 (PAY-TWICE-1, ERTGFL0X1U).",
    );
    expect(await read("?order=TWICE-2")).toContain("Money kept, by Wanjiru: KES 1,500.00");
    expect(await read("?order=LATE-2")).toContain(
      `Goods given after all, by Wanjiru: KES 1,500.00 (${payment})`,
    );
    expect(await read("?order=UNKNOWN-1")).toContain("The customer has not paid, by Wanjiru.");
    expect(await read("?order=GOODS-1")).toContain("Tried again, by Wanjiru");
    for (const order of ["TWICE-1", "TWICE-2", "LATE-2", "UNKNOWN-1", "GOODS-1"])
      expect(await read(`?order=${order}`)).not.toMatch(/accepted|dismissed/);
  });
});

describe("a case", () => {
  test("asks about one payment by its name and its code, and names it when it is done", async () => {
    const { read, caseOf, decide, reviewOf } = await openPage();
    expect(await read(await caseOf("twice", "TWICE-1", { do: "refunded" }))).toContain(
      "KES 1,500.00 (PAY-TWICE-1, ERTGFL0X1U) will be noted as paid back.",
    );
    const done = await decide("twice", await reviewOf("TWICE-1"), "refunded");
    const named = "TWICE-1, KES 1,500.00, PAY-TWICE-1, ERTGFL0X1U: It is noted as paid back.";
    expect(await read(done)).toContain(named);
    expect(await read("?decisions=1")).toContain(named);
  });

  test("says of money that is kept what the customer gets", async () => {
    const { read, caseOf } = await openPage();
    expect(await read(await caseOf("amount", "LESS-1", { do: "dismiss" }))).toContain(
      "The customer gets no goods for it, and the money stays with the shop.",
    );
  });

  test("of another amount says the price and what came, in the question, too", async () => {
    const { read, caseOf } = await openPage();
    expect(await read(await caseOf("amount", "LESS-1"))).toContain(
      "The order costs KES 1,500.00. The customer paid KES 1.00.",
    );
    expect(await read(await caseOf("amount", "LESS-1", { do: "accept" }))).toContain(
      "The order will count as paid with KES 1.00 instead of KES 1,500.00",
    );
  });

  test("of a canceled order asks whether the goods are there, before it pays back", async () => {
    const { read, caseOf } = await openPage();
    const item = await read(await caseOf("refunds", "LATE-1"));
    expect(item).toContain("If the goods are still there and the customer wants them, give them");
    const question = await read(await caseOf("refunds", "LATE-1", { do: "accept" }));
    expect(question).toContain("Are the goods still there? This order was canceled.");
    expect(question).not.toContain("refuse");
  });

  test("has its buttons in the same order, whatever it is about", async () => {
    const { get, caseOf } = await openPage();
    for (const [list, order] of [
      ["twice", "TWICE-1"],
      ["amount", "LESS-1"],
      ["refunds", "LATE-1"],
      ["goods", "GOODS-1"],
    ] as const) {
      const html = await get(await caseOf(list, order));
      const actions = [...html.matchAll(/do=(\w+)">/g)].map(([, action]) => action);
      expect([order, actions]).toEqual([
        order,
        ["accept", "dismiss", "refunded"].filter((one) => actions.includes(one)),
      ]);
      expect(actions).toContain("refunded");
    }
  });

  test("that was tried again says what to look at next, and not that it failed anew", async () => {
    const { read, decide, reviewOf } = await openPage();
    const done = await decide("goods", await reviewOf("GOODS-1"), "accept");
    const html = await read(done);
    expect(html).toContain("Look at this list again in a minute");
    expect(html).toContain("The last attempt failed. It says: The stock does not respond.");
    expect(html).not.toMatch(/handing over the goods\. It tries again/);
  });

  test("of the search leads back to the search", async () => {
    const { get } = await openPage();
    const rows = await get("?q=TWICE-1");
    const hrefs = [...rows.matchAll(/class="row" href="([^"]+)"/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
    expect(hrefs).toHaveLength(2);
    for (const href of hrefs) expect(await get(href)).toContain('<a href="?q=TWICE-1">← Back');
  });
});

describe("a reason", () => {
  const REASON = { reference: "SGR5K1TT0P", reason: "The sister, 0712345678, paid cash" };
  const SAID = "Refund: SGR5K1TT0P. Reason: The sister, 0712***678, paid cash";

  test("is asked for by a case, and the reference of a refund only if it is one", async () => {
    const { read, caseOf } = await openPage();
    const asked = async (action: string) => read(await caseOf("twice", "TWICE-1", { do: action }));
    expect(await asked("refunded")).toContain("Reference of the refund, such as its M-Pesa code");
    expect(await asked("refunded")).toContain("Reason, for your staff (optional)");
    expect(await asked("dismiss")).not.toContain("Reference of the refund");
  });

  test("stands in the history of the order and in the decisions, without a phone", async () => {
    const { read, decide, reviewOf, checkout } = await openPage();
    await decide("twice", await reviewOf("TWICE-1"), "refunded", REASON);
    expect(await read("?order=TWICE-1")).toContain(`(PAY-TWICE-1, ERTGFL0X1U). ${SAID}`);
    expect(await read("?decisions=1")).toContain(SAID);
    expect(await checkout.refunds.list("TWICE-1")).toMatchObject([
      { reference: "SGR5K1TT0P", by: "Wanjiru", payments: ["PAY-TWICE-1"] },
    ]);
  });

  test("of money of no order stands on the page of the payment", async () => {
    const { read, decide } = await openPage();
    await decide("late", "unmatched:PAY-STRANGER-1", "refunded", REASON);
    for (const query of ["?payment=PAY-STRANGER-1", "?q=STRANGER-1", "?decisions=1"])
      expect(await read(query)).toContain(SAID);
  });
});

describe("the list of decisions", () => {
  test("leads to the order or the payment, and says the price where it decides", async () => {
    const { get, read, decide, reviewOf } = await openPage();
    await decide("amount", await reviewOf("LESS-2"), "accept");
    await decide("refunds", await reviewOf("LATE-2"), "accept");
    await decide("late", "unmatched:PAY-STRANGER-1", "refunded");
    const html = await get("?decisions=1");
    for (const query of ["?order=LESS-2", "?order=LATE-2", "?payment=PAY-STRANGER-1"])
      expect(html).toContain(`href="${query}"`);
    const text = await read("?decisions=1");
    expect(text).toContain("LESS-2, KES 1.00 of KES 1,500.00");
    expect(text).toContain("This order was canceled");
    expect(text).not.toContain("until it has");
  });
});
