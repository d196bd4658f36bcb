import type { Checkout } from "malipo/checkout";
import { operatorHandler } from "malipo/operator";
import { describe, expect, test } from "vitest";
import { shopNight } from "./shop-night.ts";

const ADDRESS = "https://shop.test/operator";
const SAME_SITE = { "sec-fetch-site": "same-origin" };
const ORDER = "PAID-1";
const PAGE = `?order=${ORDER}`;

type Fields = Readonly<Record<string, string>>;

const pageOf = (
  checkout: Checkout,
  options: Partial<Parameters<typeof operatorHandler>[0]> = {},
) => {
  const authorize = () => ({ operator: "Amina" });
  const handler = operatorHandler({
    ...{ checkout, authorize, actions: true, takeBackMs: 0 },
    ...options,
  });
  const get = async (query = PAGE) => (await handler(new Request(ADDRESS + query))).text();
  /** The fields of the form, as a browser sends them. */
  const form = async (): Promise<Record<string, string>> => {
    const html = await get();
    const [shown = ""] = /<form[^>]*class="refund".*?<\/form>/s.exec(html) ?? [];
    const fields = [...shown.matchAll(/name="(\w+)" value="([^"]*)"/g)];
    return Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value]));
  };
  const post = async (fields: Fields, headers: Fields = SAME_SITE) => {
    const body = new URLSearchParams(fields);
    const response = await handler(
      new Request(ADDRESS + PAGE, { method: "POST", body, headers: { ...headers } }),
    );
    const location = response.headers.get("location");
    return { status: response.status, location, html: await response.text() };
  };
  return { get, form, post };
};

/** A shop with an order of KES 1,500 that is paid. */
async function paidShop() {
  const shop = await shopNight();
  const { checkout, deliver } = shop;
  const order = await checkout.create({ id: ORDER, amount: 1500 });
  await deliver(order, "PAY-PAID-1");
  await checkout.reconcile();
  const refunds = () => checkout.refunds.list(ORDER);
  return { ...shop, ...pageOf(checkout), refunds };
}

describe("the form that notes a refund", () => {
  test("is on the page of an order, with what is left, and says that it moves no money", async () => {
    const { get, form } = await paidShop();
    expect(await form()).toMatchObject({ amount: "", left: "1500.00", id: ORDER });
    const html = await get();
    expect(html).toContain("Note a refund");
    expect(html).toContain("This is a record: it moves no money.");
    expect(html).not.toContain("the case that waits");
    expect(await get("?order=TWICE-1")).toContain("Is it the money of the case that waits?");
  });

  test("notes it under the name of the person, for the history, the page and the decisions", async () => {
    const { get, form, post, refunds, checkout } = await paidShop();
    const fields = {
      ...(await form()),
      amount: "400",
      reference: "RB7Q",
      reason: "<b>One</b> seat",
    };
    const { status, location } = await post(fields);
    expect([status, location]).toEqual([303, expect.stringMatching(/^\?order=PAID-1&done=/)]);
    expect(await refunds()).toMatchObject([
      { amount: "400.00", reference: "RB7Q", reason: "<b>One</b> seat", by: "Amina" },
    ]);
    const html = await get(location ?? "");
    expect(html).toContain(
      "KES\u00a0400.00 was noted as paid back (RB7Q): &lt;b&gt;One&lt;/b&gt; seat",
    );
    expect(html).toMatch(/Paid back<\/h3>.*KES\u00a0400\.00 <strong>RB7Q<\/strong>.*by Amina/);
    expect(await form()).toMatchObject({ amount: "", left: "1100.00" });
    const decisions = await get("?decisions=1");
    expect(decisions.match(/<strong>Amina<\/strong>/g)).toHaveLength(1);
    expect(decisions).toContain(
      '<span class="badge good">done</span> <a href="?order=PAID-1">Order PAID-1</a>',
    );
    expect((await checkout.history(ORDER)).at(-1)).toMatchObject({ by: "Amina" });
    await post({ ...(await form()), amount: "1,100.00" });
    expect(await refunds()).toHaveLength(2);
    // Nothing is left.
    expect(await get()).not.toContain("Note a refund");
  });

  test.each([0, 3_600_000])(
    "that is sent twice notes one refund, with %i ms to take it back",
    async (takeBackMs) => {
      const { checkout, refunds } = await paidShop();
      const { form, post, get } = pageOf(checkout, { takeBackMs });
      for (const reference of ["", "RB7Q"]) {
        const before = (await refunds()).length;
        const fields = { ...(await form()), amount: "100", reference };
        const first = await post(fields);
        const again = await post(fields);
        expect([first.status, again.status]).toEqual([303, 303]);
        expect(again.location).toBe(first.location);
        if (takeBackMs > 0) {
          expect(await refunds()).toHaveLength(0);
          expect(await get()).toContain("Take back");
          return;
        }
        expect(await refunds()).toHaveLength(before + 1);
      }
      expect((await get("?decisions=1")).match(/<strong>Amina<\/strong>/g)).toHaveLength(2);
    },
  );

  test("that is sent ten times at the same moment by two processes notes one refund", async () => {
    const { checkout, form, refunds } = await paidShop();
    const fields = { ...(await form()), amount: "100" };
    const pages = [pageOf(checkout), pageOf(checkout)];
    const posts = Array.from({ length: 10 }, (_, at) => pages[at % 2]?.post(fields));
    const answers = await Promise.all(posts);
    expect(answers.filter((one) => one?.status === 303).length).toBeGreaterThan(0);
    expect(await refunds()).toHaveLength(1);
    const states = (await checkout.decisions.read()) as { decision: string; state: string }[];
    const last = new Map(states.map(({ decision, state }) => [decision, state]));
    expect([...last.values()].filter((state) => state === "started")).toEqual([]);
    expect([...last.values()].filter((state) => state === "done")).toHaveLength(1);
  });

  test("can be taken back before it is noted", async () => {
    const { checkout, refunds } = await paidShop();
    const { form, post, get } = pageOf(checkout, { takeBackMs: 3_600_000 });
    const { location } = await post({ ...(await form()), amount: "100" });
    const [, decision = ""] = /done=([^&]+)/.exec(location ?? "") ?? [];
    await post({ decision, action: "take_back" });
    expect(await get(location ?? "")).toContain("Taken back: nothing was changed.");
    expect(await refunds()).toEqual([]);
  });

  test.each([
    [
      "more than came",
      { amount: "1500.01" },
      /KES\u00a01,500\.01 is more than the KES\u00a01,500\.00/,
    ],
    ["no amount", { amount: "" }, /`amount` is invalid/],
    ["nothing", { amount: "0" }, /`amount` is invalid/],
    ["a comma for the decimals", { amount: "1,50" }, /`amount` is invalid/],
    ["a reference that is too long", { reference: "R".repeat(251) }, /`reference` is invalid/],
    ["a reason that no store takes", { reason: "\0" }, /`reason` is invalid/],
    ["an order that does not exist", { id: "NONE" }, /This order does not exist/],
  ])("with %s notes nothing, and keeps what was typed", async (_, more: Fields, says) => {
    const { form, post, refunds } = await paidShop();
    const typed: Fields = {
      ...(await form()),
      amount: "1500",
      reference: "RB7Q",
      reason: "One seat",
      ...more,
    };
    const { status, html } = await post(typed);
    expect([status, html]).toEqual([422, expect.stringMatching(says)]);
    expect(html).toContain("Nothing was changed");
    expect(html).toContain(`name="reference" value="${typed.reference}"`);
    expect(html).toContain(`name="amount" value="${typed.amount}"`);
    expect(await refunds()).toEqual([]);
  });

  test("of a page that is older than another refund notes nothing, and says what is left", async () => {
    const { checkout, form, post, refunds } = await paidShop();
    const old = { ...(await form()), amount: "400" };
    const brian = pageOf(checkout, { authorize: () => ({ operator: "Brian" }) });
    await brian.post({ ...(await brian.form()), amount: "400" });
    const { status, html } = await post(old);
    expect(status).toBe(422);
    expect(html).toContain("has changed since the page was shown: KES\u00a01,100.00 is left");
    expect(html).toContain('name="left" value="1100.00"');
    expect(await refunds()).toHaveLength(1);
  });

  test("with the reference of another refund says who noted it, and notes nothing", async () => {
    const { checkout, form, post, refunds } = await paidShop();
    const reference = "RB7Q";
    const brian = pageOf(checkout, { authorize: () => ({ operator: "Brian" }) });
    await brian.post({ ...(await brian.form()), amount: "400", reference });
    for (const [amount, says] of [
      ["400", "The refund RB7Q was noted before, by Brian."],
      ["500", "The refund RB7Q was noted before, by Brian, with KES\u00a0400.00."],
    ] as const) {
      const { status, html } = await post({ ...(await form()), amount, reference });
      expect([status, html]).toEqual([422, expect.stringContaining(says)]);
    }
    expect(await refunds()).toHaveLength(1);
  });

  test("says that goods are not given any more, if all of their money was paid back", async () => {
    const { checkout } = await shopNight();
    const handler = operatorHandler({
      ...{ checkout, actions: true, takeBackMs: 3_600_000 },
      authorize: () => ({ operator: "Amina" }),
    });
    const html = await (await handler(new Request(`${ADDRESS}?order=GOODS-1`))).text();
    const fields = [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const body = new URLSearchParams(fields.map(([, name = "", value = ""]) => [name, value]));
    body.set("amount", "1500");
    body.set("action", "refund");
    const request = new Request(ADDRESS, { method: "POST", body, headers: SAME_SITE });
    const { headers } = await handler(request);
    const planned = await handler(new Request(ADDRESS + headers.get("location")));
    expect(await planned.text()).toContain("The goods will not be given any more.");
  });

  test("stores no phone of a customer in the log of decisions", async () => {
    const { checkout, form, post, refunds } = await paidShop();
    await post({ ...(await form()), amount: "1", reason: "Sent to 0712345678" });
    expect(JSON.stringify([await refunds(), await checkout.decisions.read()])).not.toContain(
      "0712345678",
    );
  });

  test.each([
    ["from another site", {}, { "sec-fetch-site": "cross-site" }, 403],
    ["without a word of where it is from", {}, {}, 403],
    ["if the page changes nothing", { actions: false }, SAME_SITE, 405],
    ["of nobody with a name", { authorize: () => true as const }, SAME_SITE, 422],
    ["of a person who may not see the page", { authorize: () => false }, SAME_SITE, 403],
  ])("is not taken %s", async (_, options, headers, expected) => {
    const { checkout, form, refunds } = await paidShop();
    const fields = { ...(await form()), amount: "100" };
    const page = pageOf(checkout, options);
    expect((await page.post(fields, headers)).status).toBe(expected);
    if (headers === SAME_SITE) expect(await page.get()).not.toContain("Note a refund");
    expect(await refunds()).toEqual([]);
  });

  test("shows what was typed as text, never as markup", async () => {
    const { form, post } = await paidShop();
    const hostile = `"><img src=x onerror="alert('1')">`;
    const { html } = await post({ ...(await form()), amount: hostile, reference: hostile });
    expect(html).not.toContain("<img");
  });
});
