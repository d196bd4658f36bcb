import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import express from "express";
import { ConfigurationError, memory } from "malipo";
import { nodeHandler } from "malipo/node";
import { describe, expect, test, vi } from "vitest";
import type { CheckoutStore } from "../../../src/checkout/orders/checkout-store.ts";
import type { PayPageOptions } from "../../../src/checkout/page/page-options.ts";
import { completed, deliver } from "../../suites/checkout-stage.ts";
import { readQrCode } from "../../support/read-qr.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";
import { atEnd, newSandbox, openShop, PHONE, testClock } from "../stage.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const URL_OF_PAGE = "https://shop.example/pay";

type Shop = Awaited<ReturnType<typeof openPage>>;

/** A shop with a pay page, and requests as a browser sends them. */
async function openPage(
  own: Partial<PayPageOptions> = {},
  options: Parameters<typeof openShop>[2] = {},
  given?: CheckoutStore,
) {
  const sandbox = newSandbox();
  const clock = testClock();
  const shop = openShop(sandbox, given ?? memory({ now: clock.now }).checkout(), options);
  const { checkout } = shop;
  const page = checkout.page({
    merchant: { name: "Duka" },
    secret: SECRET,
    url: URL_OF_PAGE,
    ...own,
  });
  const get = (link: string, headers: Record<string, string> = {}) =>
    page(new Request(link, { headers }));
  const post = (
    link: string,
    form: Record<string, string>,
    headers: Record<string, string> = { "sec-fetch-site": "same-origin" },
  ) => page(new Request(link, { method: "POST", body: new URLSearchParams(form), headers }));
  const prompts = async () => (await shop.gateway.payments.list()).items.length;
  /** The customer answers, and the checkout reads what became of it. */
  const answer = async (
    answered: (phone: ReturnType<typeof sandbox.phone>) => unknown,
    phone = PHONE,
  ) => {
    answered(sandbox.phone(phone));
    await sandbox.clock.advance("10s");
    clock.advance(10_000);
    await checkout.reconcile();
  };
  return { ...shop, sandbox, page, get, post, prompts, answer, clock };
}

/** A webhook tells of a completed payment of the order. */
async function report(
  { checkout, sandbox }: Shop,
  amount: string,
  reference = "PAY-OTHER",
): Promise<void> {
  const order = await checkout.get(ORDER.id);
  if (order === undefined) expect.unreachable();
  const event = completed(order, reference, { amount });
  expect((await deliver(checkout, sandbox, "payment.completed", event)).status).toBe(200);
}

describe("a payment that a person must decide about", () => {
  test("of a part is on the page with what is left, and each part is on the receipt", async () => {
    const shop = await openPage();
    const { checkout, get } = shop;
    await checkout.create(ORDER);
    await report(shop, "1000.00");
    const page = await (await get(checkout.payLink(ORDER.id))).text();
    expect(page).toContain("Pay KES\u00a0500.00 to Duka");
    expect(page).toContain(
      "We received KES\u00a01,000.00 of KES\u00a01,500.00. KES\u00a0500.00 is left to pay.",
    );
    await report(shop, "500.00", "PAY-REST");
    const receipt = await (await get(checkout.payLink(ORDER.id))).text();
    for (const amount of ["1,500.00", "1,000.00", "500.00"])
      expect(receipt).toContain(`>KES\u00a0${amount}<`);
  });

  test("is on the receipt with its own amount, once it is accepted", async () => {
    const shop = await openPage({}, { partPayments: "review" });
    const { checkout, get } = shop;
    await checkout.create(ORDER);
    await report(shop, "1000.00");
    const link = checkout.payLink(ORDER.id);
    expect(await (await get(link)).text()).toContain("Pay KES\u00a01,500.00 to Duka");
    const [review] = await checkout.reviews.list();
    await checkout.reviews.resolve(review?.id ?? "", "accept");
    const receipt = await (await get(link)).text();
    expect(receipt).toContain("KES\u00a01,000.00");
    expect(receipt).not.toContain("KES\u00a01,500.00");
  });

  test("is no receipt if it was paid back before the goods were given", async () => {
    const shop = await openPage();
    const { checkout, get } = shop;
    await checkout.create(ORDER);
    await report(shop, "1500.00");
    await report(shop, "1400.00");
    const [review] = await checkout.reviews.list();
    await checkout.reviews.resolve(review?.id ?? "", "refunded");
    const order = await checkout.get(ORDER.id);
    expect(order?.message).toBe("We received your payment for this order, and paid it back.");
    const text = await (await get(checkout.payLink(ORDER.id))).text();
    expect(text).toContain("We received your payment for this order, and paid it back.");
    expect(text).not.toContain("Paid. Thank you.");
  });

  test("is said to a customer whose order is canceled", async () => {
    const shop = await openPage();
    const { checkout, get } = shop;
    await checkout.create(ORDER);
    await checkout.cancel(ORDER.id);
    await report(shop, "1500.00");
    const text = await (await get(checkout.payLink(ORDER.id))).text();
    expect(text).toContain("We received a payment for this order, and will pay it back");
    expect(text).not.toContain("Nothing is to be paid");
  });
});

const ORDER = { id: "ORDER-42", amount: 1500, description: "Two tickets <b>" };

describe("a link to pay", () => {
  test("opens the order, without its id in the address", async () => {
    const { checkout, get } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    expect(link).toMatch(/^https:\/\/shop\.example\/pay\/[\w-]+$/);
    const token = link.slice(link.lastIndexOf("/") + 1);
    for (const encoding of ["base64url", "latin1"] as const) {
      expect(Buffer.from(token, encoding).includes("ORDER")).toBe(false);
    }
    const response = await get(link);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain("Pay KES\u00a01,500.00 to Duka");
    expect(text).toContain("Two tickets &lt;b&gt;");
  });

  test("that is altered in any character is a friendly 404", async () => {
    const { checkout, get } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    const start = link.lastIndexOf("/") + 1;
    for (let at = start; at < link.length; at++) {
      for (const other of ["A", "B", "9", "-", "_", ".", ""]) {
        if (link[at] === other) continue;
        const altered = link.slice(0, at) + other + link.slice(at + 1);
        expect([altered, (await get(altered)).status]).toEqual([altered, 404]);
      }
    }
    const text = await (await get(`${link}A`)).text();
    expect(text).toContain("This link does not work");
    expect(text).toContain("Ask Duka for a new one");
  });

  test("that is expired, or signed with another secret, is a 404", async () => {
    const { checkout, get } = await openPage();
    await checkout.create(ORDER);
    const expired = checkout.payLink("ORDER-42", { expiresAt: new Date(Date.now() - 1_000) });
    expect((await get(expired)).status).toBe(404);
    const other = await openPage({ secret: "another secret of a shop" });
    await other.checkout.create(ORDER);
    expect((await get(other.checkout.payLink("ORDER-42"))).status).toBe(404);
  });

  test("of another shop with the same secret is a 404", async () => {
    const [first, second] = [await openPage({}, { prefix: "A-" }), await openPage()];
    for (const { checkout } of [first, second]) await checkout.create(ORDER);
    expect((await first.get(first.checkout.payLink("ORDER-42"))).status).toBe(200);
    expect((await second.get(first.checkout.payLink("ORDER-42"))).status).toBe(404);
    expect((await first.get(second.checkout.payLink("ORDER-42"))).status).toBe(404);
  });

  test("stays valid when a new secret is put before the old one", async () => {
    const before = await openPage();
    const link = before.checkout.payLink("ORDER-42");
    const { checkout, get } = await openPage({ secret: ["a new secret, 16 or more", SECRET] });
    await checkout.create(ORDER);
    expect((await get(link)).status).toBe(200);
    expect(checkout.payLink("ORDER-42")).not.toBe(link);
  });

  test("to an order that does not exist is the same 404 as an altered one", async () => {
    const { checkout, get } = await openPage();
    const missing = await get(checkout.payLink("NO-SUCH-ORDER"));
    expect(missing.status).toBe(404);
    expect(await missing.text()).toBe(await (await get(`${URL_OF_PAGE}/x.y`)).text());
  });

  test("keeps ids with colons, slashes, quotes and letters of any language", async () => {
    const { checkout, get } = await openPage();
    for (const id of ["a:b/c?d#e", `'"<>&`, "Ñandú 店", "x".repeat(200)]) {
      await checkout.create({ id, amount: 10 });
      expect([id, (await get(checkout.payLink(id))).status]).toEqual([id, 200]);
    }
  });

  test("is a QR code, as an image that stands alone", async () => {
    const { checkout } = await openPage();
    const svg = await checkout.payQrCode("ORDER-42");
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+">/);
    expect(svg).toMatch(/<\/svg>$/);
  });

  test("is read from its QR code, and opens the order", async () => {
    const { checkout, get } = await openPage();
    await checkout.create(ORDER);
    const link = readQrCode(await checkout.payQrCode("ORDER-42"));
    expect(link).toMatch(/^https:\/\/shop\.example\/pay\/[\w-]+$/);
    const text = await (await get(link)).text();
    expect(text).toContain("Pay KES\u00a01,500.00 to Duka");
  });

  test("needs a page with a secret and an address", async () => {
    const { checkout } = openShop(newSandbox(), memory().checkout());
    expect(() => checkout.payLink("A")).toThrow(/Call checkout\.page/);
    const merchant = { name: "Duka" };
    for (const secret of [undefined, "", "short", []]) {
      expect(() => checkout.page({ merchant, secret })).toThrow(/at least 16 characters/);
    }
    checkout.page({ merchant, secret: SECRET });
    expect(() => checkout.payLink("A")).toThrow(/does not know its address/);
    for (const url of ["http://shop.example/pay", "pay", "https://a.example/?x", "javascript:1"]) {
      expect(() => checkout.page({ merchant, secret: SECRET, url })).toThrow(/`url`/);
    }
  });
});

describe("options of a link", () => {
  test.each([
    [{ expiresAt: "2026-12-01" }],
    [{ expiresAt: 1_800_000_000_000 }],
    [{ expiresAt: null }],
    [{ expiresAt: {} }],
    [{ expiresAt: new Date(Number.NaN) }],
    [{ expires: new Date() }],
    [null],
    ["2026-12-01"],
  ])("that are wrong are a ConfigurationError: %j", async (options) => {
    const { checkout } = await openPage();
    await checkout.create(ORDER);
    const given = options as { expiresAt?: Date };
    expect(() => checkout.payLink(ORDER.id, given)).toThrow(ConfigurationError);
    await expect(checkout.payQrCode(ORDER.id, given)).rejects.toThrow(ConfigurationError);
  });
});

describe("the pay page", () => {
  test("asks the phone once, and leads back to the page", async () => {
    const { checkout, post, get, prompts } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    const form = { phone: "0712 345 678", after: "0" };
    const responses = await Promise.all([post(link, form), post(link, form)]);
    expect(responses.map(({ status }) => status)).toEqual([303, 303]);
    expect(await prompts()).toBe(1);
    const text = await (await get(link)).text();
    expect(text).toContain("Look at your phone");
    expect(text).toContain("0712\u00a0***\u00a0678");
    expect(text).toContain("Reject a request that you did not start");
    expect(text).not.toContain("345678");
  });

  test("shows a receipt when the order is paid", async () => {
    const { checkout, post, get, answer } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    await post(link, { phone: PHONE, after: "0" });
    await answer((phone) => phone.approve());
    expect((await checkout.get("ORDER-42"))?.status).toBe("paid");
    const text = await (await get(link)).text();
    expect(text).toContain("Paid. Thank you.");
    expect(text).toContain((await checkout.get("ORDER-42"))?.attempts[0]?.reference);
    expect(text).not.toContain("<form");
  });

  test("says why in Swahili, and takes another number for the next attempt", async () => {
    const { checkout, post, get, answer, prompts } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    await post(link, { phone: PHONE, after: "0" });
    await answer((phone) => phone.cancel());
    expect((await checkout.get("ORDER-42"))?.status).toBe("open");
    const text = await (await get(link, { "accept-language": "sw-KE, en;q=0.5" })).text();
    expect(text).toContain('<html lang="sw">');
    expect(text).toContain("Ulikataa ombi la malipo.");
    expect(text).toContain('name="after" value="1"');
    expect((await post(link, { phone: "0722000111", after: "1", lang: "sw" })).status).toBe(303);
    expect(await prompts()).toBe(2);
  });

  test("returns what was written if it is no phone number, beside what is wrong", async () => {
    const { checkout, post, prompts } = await openPage();
    await checkout.create(ORDER);
    const response = await post(checkout.payLink("ORDER-42"), {
      phone: `12"><script>`,
      after: "0",
    });
    expect(response.status).toBe(422);
    const text = await response.text();
    expect(text).toContain('value="12&quot;&gt;&lt;script&gt;"');
    expect(text).toContain('aria-invalid="true"');
    expect(await prompts()).toBe(0);
  });

  test("says when it was paid, which may be long after the phone was asked", async () => {
    const { checkout, post, get, answer, clock } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    await post(link, { phone: PHONE, after: "0" });
    clock.advance(7_200_000);
    await answer((phone) => phone.approve());
    const options = { timeZone: "Africa/Nairobi", timeStyle: "short" } as const;
    const time = new Intl.DateTimeFormat("en-GB", options).format(clock.now());
    expect(await (await get(link)).text()).toContain(`, ${time}</dd>`);
  });

  test("with another number while one is asked, names the number that is asked", async () => {
    const { checkout, post, get, prompts } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    await post(link, { phone: "0712 345 678", after: "0" });
    expect((await post(link, { phone: "0722 000 111", after: "0" })).status).toBe(303);
    const text = await (await get(link)).text();
    expect(text).toContain("0712\u00a0***\u00a0678");
    expect(text).not.toContain("0722");
    expect(await prompts()).toBe(1);
  });

  test("reads numbers without a calling code as those of the checkout's country", async () => {
    const { checkout, post, get } = await openPage({}, { currency: "UGX" });
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    expect(await (await get(link)).text()).toContain("For example 0772\u00a0345\u00a0678");
    await post(link, { phone: "0772\u00a0345\u00a0678", after: "0" });
    expect((await checkout.get("ORDER-42"))?.attempts[0]?.phone).toBe("0772 *** 678");
  });

  test.each([
    ["en", "This is a number of another country. Use one like 0772\u00a0345\u00a0678."],
    ["sw", "Hii ni namba ya nchi nyingine. Tumia namba kama 0772\u00a0345\u00a0678."],
  ])("asks no phone of another country (%s)", async (lang, text) => {
    const { checkout, post, prompts } = await openPage({}, { currency: "UGX" });
    await checkout.create(ORDER);
    const form = { phone: "+254 712 345 678", after: "0", lang };
    const response = await post(checkout.payLink("ORDER-42"), form);
    expect(response.status).toBe(422);
    expect(await response.text()).toContain(text);
    expect(await prompts()).toBe(0);
  });

  test("requires the country code if the checkout has several countries and no default", async () => {
    const { checkout, post, prompts } = await openPage(
      {},
      { currency: "XOF", countries: ["BF", "SN"] },
    );
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    const response = await post(link, { phone: "70 12 34 56", after: "0" });
    expect(await response.text()).toContain("Write it like +22670123456.");
    expect((await post(link, { phone: "+226 70 12 34 56", after: "0" })).status).toBe(303);
    expect(await prompts()).toBe(1);
  });
});

describe("a rejection of the request", () => {
  const REJECTED = [
    [401, "No.", "en", "You did nothing wrong; we are looking into it.", false],
    [401, "No.", "sw", "Hatukuweza kuomba malipo.", false],
    [422, "The amount is too large.", "sw", "Kiasi hiki hakiwezi kuombwa kwa simu.", false],
    [429, "Slower.", "sw", "Huduma ya malipo ina shughuli nyingi.", false],
    [422, "The phone is not valid.", "sw", "Angalia namba ya simu yako", true],
    [422, "The phone is not valid.", "en", "Check your phone number and try again.", true],
  ] as const;

  test.each(REJECTED)(
    "with %s %j, in %s, says what it is about",
    async (status, message, lang, text, mayBePhone) => {
      const sandbox = newSandbox();
      const fetch = async (url: string, init: RequestInit) =>
        url.includes("payment/initiate")
          ? Response.json({ success: false, message }, { status })
          : sandbox.fetch(url, init);
      const { checkout, get, post } = await openPage({}, { fetch });
      await checkout.create(ORDER);
      const link = checkout.payLink(ORDER.id);
      await post(link, { phone: PHONE, after: "0", lang });
      const html = await (await get(`${link}?lang=${lang}`)).text();
      expect(html).toContain(text);
      expect(html).not.toContain('<span lang="en">');
      expect(/You can use another number|Unaweza kutumia namba nyingine/.test(html)).toBe(
        mayBePhone,
      );
      expect(html).toContain("<form");
    },
  );
});

describe("the way back to the shop", () => {
  test("is a link on the receipt, and on no page that asks for money", async () => {
    const returnUrl = ({ id }: { id: string }) => `https://shop.example/orders/${id}?from=link&x=1`;
    const { checkout, get, post, answer } = await openPage({ returnUrl });
    await checkout.create(ORDER);
    const link = checkout.payLink(ORDER.id);
    const text = async () => (await get(link)).text();
    expect(await text()).not.toContain("Back to Duka");
    await post(link, { phone: PHONE, after: "0" });
    expect(await text()).not.toContain("Back to Duka");
    await answer((phone) => phone.approve());
    expect(await text()).toContain(
      '<a href="https://shop.example/orders/ORDER-42?from=link&amp;x=1">Back to Duka</a>',
    );
  });

  test("is on an order that was canceled, in the language of the page", async () => {
    const { checkout, get } = await openPage({ returnUrl: "/orders" });
    await checkout.create(ORDER);
    await checkout.cancel(ORDER.id);
    const text = await (await get(`${checkout.payLink(ORDER.id)}?lang=sw`)).text();
    expect(text).toContain('<a href="/orders">Rudi kwa Duka</a>');
  });

  test("is on an order that may not be asked for any more", async () => {
    const { checkout, get, post, answer } = await openPage(
      { returnUrl: "/orders" },
      { attemptLimit: 1 },
    );
    await checkout.create(ORDER);
    const link = checkout.payLink(ORDER.id);
    await post(link, { phone: PHONE, after: "0" });
    await answer((phone) => phone.cancel());
    expect(await (await get(link)).text()).toContain('<a href="/orders">Back to Duka</a>');
  });

  test("costs no receipt if it cannot be made, and is no script", async () => {
    for (const returnUrl of [
      () => "javascript:alert(1)",
      () => {
        throw new Error("no page");
      },
    ]) {
      const { checkout, get, errors } = await openPage({ returnUrl });
      await checkout.create(ORDER);
      await checkout.cancel(ORDER.id);
      const response = await get(checkout.payLink(ORDER.id));
      expect(response.status).toBe(200);
      expect(await response.text()).not.toMatch(/Back to Duka|javascript:/);
      expect(errors).toHaveLength(1);
    }
    await expect(openPage({ returnUrl: "//evil.example" })).rejects.toThrow(/returnUrl/);
  });

  test("leads to no other server by a path", async () => {
    const hostile = ["/\\evil.example", "/\t/evil.example", "\\\\evil.example", "/.//evil.example"];
    for (const address of hostile) {
      await expect(openPage({ returnUrl: address })).rejects.toThrow(/returnUrl/);
      await expect(openPage({ merchant: { name: "Duka", logo: address } })).rejects.toThrow(/logo/);
      const { checkout, get, errors } = await openPage({ returnUrl: () => address });
      await checkout.create(ORDER);
      await checkout.cancel(ORDER.id);
      expect(await (await get(checkout.payLink(ORDER.id))).text()).not.toMatch(/Back to Duka|evil/);
      expect(errors).toHaveLength(1);
    }
  });
});

describe("a pay page whose store fails", () => {
  const DENIAL = "Nothing was sent to your phone";

  test("after the prompt was sent, does not say that nothing was sent", async () => {
    const db = new DatabaseSync(":memory:");
    atEnd(() => db.close());
    const sandbox = newSandbox();
    const fetch: typeof sandbox.fetch = async (...given) => {
      const response = await sandbox.fetch(...given);
      const isPrompt = String(given[0]).endsWith("/initiate");
      if (isPrompt) db.exec("ALTER TABLE malipo_checkout_orders RENAME TO away");
      return response;
    };
    const { checkout, errors } = openShop(sandbox, sqliteCheckout(db), { fetch });
    const page = checkout.page({ merchant: { name: "Duka" }, secret: SECRET, url: URL_OF_PAGE });
    await checkout.create(ORDER);
    for (const [lang, sure] of [
      ["en", "Do not pay again"],
      ["sw", "Usilipe tena"],
    ] as const) {
      const id = `ORDER-${lang}`;
      await checkout.create({ id, amount: 10 });
      const body = new URLSearchParams({ phone: lang === "en" ? PHONE : "0722000111", lang });
      const headers = { "sec-fetch-site": "same-origin" };
      const init = { method: "POST", body, headers };
      const link = checkout.payLink(id);
      const sent = await page(new Request(link, init));
      expect([lang, sent.status]).toEqual([lang, 303]);
      const response = await page(new Request(new URL(sent.headers.get("location") ?? "", link)));
      const text = await response.text();
      expect([lang, response.status]).toEqual([lang, 500]);
      db.exec("ALTER TABLE away RENAME TO malipo_checkout_orders");
      expect(text).toContain(sure);
      expect(text).not.toContain(DENIAL);
      expect(text).not.toContain("Hakuna ombi lililotumwa");
    }
    expect(sandbox.phone(PHONE).prompt).toBeDefined();
    expect(errors.length).toBeGreaterThan(0);
  });

  test("before it asks a phone, says that nothing was sent", async () => {
    const db = new DatabaseSync(":memory:");
    const { checkout, post, get, prompts } = await openPage({}, {}, sqliteCheckout(db));
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    const count = await prompts();
    db.exec("ALTER TABLE malipo_checkout_orders RENAME TO away");
    const posted = await post(link, { phone: PHONE, after: "0" });
    expect(posted.status).toBe(500);
    expect(await posted.text()).toContain(DENIAL);
    // The click before this one may have asked.
    const opened = await get(link);
    expect(opened.status).toBe(500);
    expect(await opened.text()).not.toContain(DENIAL);
    db.exec("ALTER TABLE away RENAME TO malipo_checkout_orders");
    expect(await prompts()).toBe(count);
    atEnd(() => db.close());
  });
});

describe("a pay page on a server", () => {
  /** The page of an order, below what else the server does with a request. */
  async function serve(before?: express.Handler) {
    const opened = await openPage();
    const said: string[] = [];
    const app = express();
    if (before !== undefined) app.use(before);
    app.use("/pay", nodeHandler(opened.page));
    app.use(((error, _request, response, _next) => {
      said.push(String(error));
      response.status(500).end();
    }) as express.ErrorRequestHandler);
    const server = createServer(app).listen(0, "127.0.0.1");
    atEnd(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    await opened.checkout.create(ORDER);
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const link = opened.checkout.payLink("ORDER-42").replace("https://shop.example", origin);
    const send = () =>
      fetch(link, {
        method: "POST",
        redirect: "manual",
        headers: { "sec-fetch-site": "same-origin" },
        body: new URLSearchParams({ phone: PHONE, after: "0" }),
      });
    return { ...opened, link, said, send, server };
  }

  test("ends the stream of an open page as the checkout stops, so that the server can close", async () => {
    const { checkout, link, send, server } = await serve();
    await send();
    const stream = await fetch(link, { headers: { accept: "text/event-stream" } });
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    // The server does not wait for another request on the connection.
    expect(stream.headers.get("connection")).toBe("close");
    const closed = once(server, "close");
    server.close();
    await checkout.stop();
    expect(await stream.text()).toContain('"final":false');
    await closed;
  });

  test.each([
    ["urlencoded", express.urlencoded({ extended: false })],
    ["text", express.text({ type: "*/*" })],
  ])("below the body parser %s, says which line to move", async (_, parser) => {
    const { send, said, prompts } = await serve(parser);
    expect((await send()).status).toBe(500);
    expect(said).toEqual([expect.stringMatching(/body was already parsed.*above/i)]);
    expect(await prompts()).toBe(0);
  });

  test.each([
    ["no parser", undefined],
    ["one of other bodies", express.json()],
    ["one that keeps the bytes", express.raw({ type: "*/*" })],
  ])("reads the form, with %s", async (_, parser) => {
    const { send, said, prompts } = await serve(parser);
    expect((await send()).status).toBe(303);
    expect(said).toEqual([]);
    expect(await prompts()).toBe(1);
  });

  test("is left while it waits, which is no error", async () => {
    const { link, send, errors, server } = await serve();
    await send();
    const controller = new AbortController();
    const requested = once(server, "request");
    const left = fetch(`${link}?wait=1`, { signal: controller.signal });
    const [, response] = await requested;
    const closed = once(response, "close");
    // The page reads the order, and begins to wait.
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await expect(left).rejects.toThrow();
    await closed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([]);
  });
});

describe("attacks on the pay page", () => {
  const HEADERS: readonly Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "null", referer: "https://shop.example/pay/x" },
    { referer: "https://evil.example/https://shop.example" },
    { origin: "http://shop.example", "x-forwarded-proto": "https" },
    {},
  ];
  test.each(HEADERS)("a form of another site asks no phone: %j", async (headers) => {
    const { checkout, post, prompts } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    expect((await post(link, { phone: PHONE, after: "0" }, headers)).status).toBe(403);
    expect(await prompts()).toBe(0);
  });

  test.each([
    [{ origin: "https://shop.example" }],
    [{ referer: "https://shop.example/pay/4fJ" }],
    // A proxy has lost the host, and the option `url` knows it.
    [{ origin: "https://shop.example", host: "127.0.0.1:3000" }],
  ])(
    "its own form is taken from a browser that says where it comes from by %j",
    async (headers) => {
      const { checkout, post } = await openPage();
      await checkout.create(ORDER);
      const link = checkout.payLink("ORDER-42");
      expect((await post(link, { phone: PHONE, after: "0" }, headers)).status).toBe(303);
    },
  );

  test("a rejected form is reported once, since a proxy may have lost the host", async () => {
    const { checkout, post, errors } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    for (const origin of ["https://a.example", "https://b.example"]) {
      await post(link, { phone: PHONE, after: "0" }, { origin });
    }
    expect(errors.map(String)).toEqual([
      expect.stringMatching(
        /for shop\.example from "https:\/\/a\.example"\..*pass the Host header/,
      ),
    ]);
  });

  test("many orders make a stranger's phone ring at most as often as the limit says", async () => {
    const { checkout, post, prompts, get } = await openPage();
    for (let number = 1; number <= 12; number++) {
      await checkout.create({ id: `O-${number}`, amount: 10 });
      await post(checkout.payLink(`O-${number}`), { phone: PHONE, after: "0" });
    }
    expect(await prompts()).toBe(1);
    const text = await (await get(checkout.payLink("O-12"))).text();
    expect(text).toContain("reject it if you did not start it");
    expect(text).toMatch(/try again at \d\d:\d\d/);
  });

  test("one link is used at most ten times in ten minutes", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    atEnd(() => vi.useRealTimers());
    const { checkout, post } = await openPage();
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    const statuses: number[] = [];
    for (let time = 0; time < 12; time++) {
      statuses.push((await post(link, { phone: "1", after: "0" })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(422), 429, 429]);
    vi.advanceTimersByTime(600_000);
    expect((await post(link, { phone: "1", after: "0" })).status).toBe(422);
  });

  test("one order asks phones at most as often as its limit says", async () => {
    const { checkout, post, get, prompts, answer } = await openPage({}, { attemptLimit: 3 });
    await checkout.create(ORDER);
    const link = checkout.payLink("ORDER-42");
    for (let time = 0; time < 6; time++) {
      const phone = `071200000${time}`;
      await post(link, { phone, after: String(time) });
      const isAsked = (await checkout.get("ORDER-42"))?.status === "pending";
      if (isAsked) await answer((one) => one.cancel(), phone);
    }
    expect(await prompts()).toBe(3);
    for (const [lang, said, again] of [
      ["en", "none was paid", /try again/i],
      ["sw", "hakuna lililofanikiwa", /jaribu tena/i],
    ] as const) {
      const text = await (await get(`${link}?lang=${lang}`)).text();
      expect(text).toContain(said);
      expect(text.replace(/<script>.*<\/script>/s, "")).not.toMatch(again);
    }
  });

  test("an order whose requests are rejected again and again asks its customer to contact the shop", async () => {
    const { checkout, get } = await openPage(
      {},
      {
        attemptLimit: 1,
        gateway: {
          apiKey: newSandbox().keys.secret,
          baseUrl: "https://gateway.example",
          fetch: async () => Response.json({ message: "no" }, { status: 422 }),
        },
      },
    );
    for (let click = 0; click < 12; click++) await checkout.pay({ ...ORDER, phone: PHONE });
    for (const [lang, said, again] of [
      ["en", "Please contact Duka", /try again/i],
      ["sw", "wasiliana na Duka", /jaribu tena/i],
    ] as const) {
      const text = await (await get(`${checkout.payLink("ORDER-42")}?lang=${lang}`)).text();
      expect(text).toContain(said);
      expect(text).not.toContain("<form");
      expect(text.replace(/<script>.*<\/script>/s, "")).not.toMatch(again);
    }
  });

  test("names that every object has are neither languages nor states", async () => {
    const { checkout, get } = await openPage();
    await checkout.create(ORDER);
    for (const name of ["constructor", "__proto__", "toString"]) {
      const text = await (await get(`${checkout.payLink("ORDER-42")}?lang=${name}`)).text();
      expect(text).toContain('<html lang="en">');
      expect(text).not.toContain("native code");
    }
  });

  test("a form without an end is not read whole", async () => {
    const { checkout, page, prompts } = await openPage();
    await checkout.create(ORDER);
    let sent = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(97));
      },
    });
    const init = {
      method: "POST",
      body,
      headers: { "sec-fetch-site": "same-origin" },
      duplex: "half",
    };
    expect((await page(new Request(checkout.payLink("ORDER-42"), init))).status).toBe(422);
    expect(sent).toBeLessThan(1_000_000);
    expect(await prompts()).toBe(0);
  });

  test("no other site may frame, keep or index it, and it loads nothing from elsewhere", async () => {
    const { checkout, get } = await openPage();
    await checkout.create(ORDER);
    const { headers } = await get(checkout.payLink("ORDER-42"));
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-robots-tag")).toContain("noindex");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    const allowed = await openPage({ frameAncestors: ["https://shop.example"] });
    const framed = (await allowed.get(`${URL_OF_PAGE}/x`)).headers;
    expect(framed.get("content-security-policy")).toContain("frame-ancestors https://shop.example");
    expect(framed.get("x-frame-options")).toBeNull();
  });
});

describe("what protects a customer from a false request", () => {
  test("stands on the page before he asks, and while his phone rings", async () => {
    const { checkout, get } = await openPage({
      merchant: { name: "Duka", promptName: "DUKA LTD" },
    });
    await checkout.create(ORDER);
    const link = checkout.payLink(ORDER.id);
    const prompt = async () => (await (await get(link)).text()).match(/<figure>.*<\/figure>/s)?.[0];
    const before = await prompt();
    expect(before).toContain(">KES\u00a01,500.00</b> to DUKA LTD");
    expect(before).toContain("Account <b>ORDER-42</b>");
    expect(before).toContain("Reject a request with another name, amount or account.");
    await checkout.pay({ ...ORDER, phone: PHONE });
    expect(await prompt()).toBe(before);
  });
});

describe("the merchant on the page", () => {
  test.each([
    ["0700 111 222", '<a href="tel:0700111222">0700\u00a0111\u00a0222</a>'],
    ["+254 700 111 222", '<a href="tel:+254700111222">'],
    ["help@duka.example", '<a href="mailto:help@duka.example">help@duka.example</a>'],
    ["the shop in Moi Avenue", "Questions? Duka: the shop in Moi Avenue</p>"],
    ["<b>x</b>", "&lt;b&gt;x&lt;/b&gt;</p>"],
  ])("is reached by %s", async (contact, text) => {
    const { checkout, get } = await openPage({ merchant: { name: "Duka", contact } });
    await checkout.create(ORDER);
    expect(await (await get(checkout.payLink(ORDER.id))).text()).toContain(text);
  });

  test.each([
    ["Duka la Mama Njeri", "DM"],
    ["duka", "D"],
    ["Äpfel & Co", "ÄC"],
    ["7 Eleven", "7E"],
  ])("has initials if he has no logo: %s", async (name, initials) => {
    const { checkout, get } = await openPage({ merchant: { name } });
    await checkout.create(ORDER);
    const text = await (await get(checkout.payLink(ORDER.id))).text();
    expect(text).toContain(`<span class="initials" aria-hidden="true">${initials}</span>`);
  });
});

describe("money that came twice or went back", () => {
  test("is on the page with both receipts, and says what becomes of the second", async () => {
    const shop = await openPage();
    const { checkout, get } = shop;
    await checkout.create(ORDER);
    await report(shop, "1500.00", "PAY-FIRST");
    await report(shop, "1500.00", "PAY-SECOND");
    const link = checkout.payLink(ORDER.id);
    const text = await (await get(link)).text();
    expect(text).toContain("Paid. Thank you.");
    expect(text).toMatch(/PAY-FIRST.*Another payment.*PAY-SECOND/s);
    expect(text).toContain("We received more than this order costs.");
    const [review] = await checkout.reviews.list();
    await checkout.reviews.resolve(review?.id ?? "", "refunded");
    const later = await (await get(link)).text();
    expect(later).toMatch(/PAY-FIRST.*Another payment.*PAY-SECOND.*Paid back.*KES\u00a01,500\.00/s);
    expect(later).not.toContain("We received more than this order costs.");
  });

  test("of a canceled order is told apart from that of a refused one", async () => {
    const refusing = await openPage({}, { onPaid: (_, { refuse }) => refuse("The seat is gone") });
    await refusing.checkout.create(ORDER);
    await report(refusing, "1500.00", "PAY-REFUSED");
    await refusing.checkout.reconcile();
    const link = refusing.checkout.payLink(ORDER.id);
    const refused = await (await refusing.get(link)).text();
    expect(refused).toContain("this order cannot be delivered");
    expect(refused).toContain("PAY-REFUSED");
    expect(refused).not.toContain("The seat is gone");
    const shop = await openPage();
    await shop.checkout.create(ORDER);
    await shop.checkout.cancel(ORDER.id, { reason: "paid_elsewhere" });
    await report(shop, "1500.00", "PAY-LATE");
    const elsewhere = await (await shop.get(shop.checkout.payLink(ORDER.id))).text();
    expect(elsewhere).toContain("This order was paid in another way. We received a second payment");
    expect(elsewhere).toContain("PAY-LATE");
    expect(elsewhere).not.toContain("and paid it back");
    const [review] = await shop.checkout.reviews.list();
    await shop.checkout.reviews.resolve(review?.id ?? "", "refunded");
    const back = await (await shop.get(shop.checkout.payLink(ORDER.id))).text();
    expect(back).toContain("We received your payment for this order, and paid it back.");
  });
});
