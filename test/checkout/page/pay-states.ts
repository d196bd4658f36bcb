import { DatabaseSync } from "node:sqlite";
import { createCheckout, type PayPageOptions } from "malipo/checkout";
import { createSandbox } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";
import { expect } from "vitest";
import type { Shown } from "../../browser/contact-sheet.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";

const AWAY = "ALTER TABLE malipo_checkout_orders RENAME TO away";
const BACK = "ALTER TABLE away RENAME TO malipo_checkout_orders";
const LOGO =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='120' height='40'><rect width='120' height='40' rx='8' fill='%23c0392b'/></svg>";
const MERCHANT = { name: "Duka la Mama Njeri", contact: "0700 111 222" };

/** The pay page in every state that an order can have, in any language. */
export async function payStates() {
  const db = new DatabaseSync(":memory:");
  const sandbox = createSandbox({ seed: 1, clock: "virtual", startAt: new Date() });
  const { baseUrl, keys, webhookSecret: secret } = sandbox;
  let isLost = false;
  let failsAfterPrompt = false;
  const fetch: typeof sandbox.fetch = async (...given) => {
    const response = await sandbox.fetch(...given);
    const isPrompt = String(given[0]).endsWith("/initiate");
    if (isPrompt && failsAfterPrompt) db.exec(AWAY);
    if (isPrompt && isLost) throw new TypeError("fetch failed");
    return response;
  };
  const gateway = { apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 };
  const options = {
    store: sqliteCheckout(db),
    gateway,
    secret,
    onError: () => {},
    onPaid: async ({ id }: { id: string }, { refuse }: { refuse: (why: string) => object }) =>
      id.startsWith("REFUSED") ? refuse("The seat is gone") : undefined,
  };
  const pageOf = (more: object = {}, look: Partial<PayPageOptions> = {}) => {
    const checkout = createCheckout({ ...options, phoneLimit: 900, ...more });
    const page = checkout.page({
      merchant: MERCHANT,
      url: "https://shop.example/pay",
      secret: "a secret of the pay page",
      returnUrl: "https://shop.example/orders",
      ...look,
    });
    return { checkout, page };
  };
  const { checkout, page } = pageOf();
  const strict = pageOf({ attemptLimit: 1 });
  const styled = pageOf({}, { merchant: { ...MERCHANT, logo: LOGO }, color: "#ffd400" });

  let orders = 0;
  let payments = 0;
  const create = async (name = "ORDER", more: object = {}) => {
    const id = `${name}-${++orders}`;
    await checkout.create({ id, amount: 1500, description: "Two tickets for Saturday", ...more });
    return id;
  };
  let phones = 0;
  const newPhone = () => `07110${String(++phones).padStart(5, "0")}`;
  const ask = async (id: string, phone = newPhone(), by = checkout) => {
    await by.pay({ id, amount: 1500, phone });
    return phone;
  };
  /** A webhook of the service. */
  const report = async (id: string, amount: string, more: object = {}) => {
    const order = await checkout.get(id);
    const data = {
      ...{ payment_id: ++payments, merchant_id: 1, reference: `PAY-7Q2M9X4K${payments}` },
      ...{ status: "completed", amount, currency: "KES", phone: "254712345678" },
      transaction_id: `SGR7Q2M9X${payments}`,
      account_reference: order?.accountReference,
      ...more,
    };
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: `payment.${data.status}`, timestamp, data });
    const headers = { "x-service-signature": signWebhook(body, secret) };
    expect((await checkout.receiver.handle({ method: "POST", headers, body })).status).toBe(200);
    await checkout.reconcile();
  };
  /** The customer pays by the request on his phone. */
  const paid = async (id: string, more: object = {}) => {
    await ask(id);
    const reference = (await checkout.get(id))?.attempts.at(-1)?.reference;
    const transaction_id = "SGR7Q2M9X4";
    await report(id, "1500.00", { reference, transaction_id, phone: "254711000001", ...more });
    return id;
  };
  const failed = async (id: string, more: object) => {
    await ask(id);
    const reference = (await checkout.get(id))?.attempts.at(-1)?.reference;
    await report(id, "1500.00", { reference, status: "failed", ...more });
    return id;
  };
  const decide = async (id: string, decision: "accept" | "refunded" | "dismiss") => {
    const [review] = (await checkout.inspect(id))?.reviews ?? [];
    await checkout.reviews.resolve(review?.id ?? "", decision, { by: "Amina" });
  };

  type Send = (lang: string) => Request | Promise<Request>;
  const states = new Map<string, { serve: typeof page; send: Send }>();
  const linkOf = (id: string, lang: string) => `${checkout.payLink(id)}?lang=${lang}`;
  const shows = (name: string, id: string, serve = page) =>
    states.set(name, { serve, send: (lang) => new Request(linkOf(id, lang)) });
  const form = (link: string, lang: string, phone: string, site = "same-origin") => {
    const headers = { "sec-fetch-site": site };
    const body = new URLSearchParams({ phone, lang, after: "0" });
    return new Request(`${link}?lang=${lang}`, { method: "POST", headers, body });
  };
  const posts = (name: string, phone: string, site?: string, before?: Send) =>
    states.set(name, {
      serve: page,
      send: async (lang) => {
        await before?.(lang);
        return form(checkout.payLink(await create()), lang, phone, site);
      },
    });

  shows("new", await create());
  shows(
    "new, without words",
    await create("4f1c9a52-7a1e-4c1b-9c36-0d8f0f4d51aa", { description: undefined }),
  );
  shows("new, with a logo", await create(), styled.page);
  shows("new, of millions", await create("ORDER", { amount: 9_999_999 }));
  posts("wrong number", "12");
  posts("number of another country", "+256772345678");
  const part = await create();
  await report(part, "1000.00");
  shows("part paid", part);
  const rest = await create();
  await report(rest, "1000.00");
  await checkout.pay({ id: rest, amount: 1500, phone: newPhone() });
  shows("part paid, asked for the rest", rest);
  const asked = await create();
  const phone = await ask(asked);
  shows("asked", asked);
  const busy = await create();
  await ask(busy, phone);
  shows("busy", busy);
  shows("wrong PIN", await failed(await create(), { failure_reason: "2001" }));
  shows("no money", await failed(await create(), { failure_reason: "1" }));
  const again = await create();
  sandbox.phone(await ask(again)).cancel();
  await sandbox.clock.advance("10s");
  await ask(again);
  shows("asked again", again);
  isLost = true;
  const unknown = await create();
  await ask(unknown);
  isLost = false;
  shows("unknown", unknown);
  const used = await create();
  await strict.checkout.pay({ id: `${used}-S`, amount: 1500, phone: newPhone() });
  const usedReference = (await checkout.get(`${used}-S`))?.attempts[0]?.reference;
  await report(`${used}-S`, "1500.00", {
    reference: usedReference,
    status: "failed",
    failure_reason: "1032",
  });
  shows("used up", `${used}-S`);
  shows("paid", await paid(await create()));
  const label = await create("ORDER-OF-THE-WEBSITE");
  shows("paid, with a label of its own", await paid(label));
  const parts = await create();
  await report(parts, "1000.00");
  await report(parts, "500.00");
  shows("paid in parts", parts);
  const twice = await paid(await create());
  await report(twice, "1500.00");
  shows("paid twice", twice);
  const twiceBack = await paid(await create());
  await report(twiceBack, "1500.00");
  await decide(twiceBack, "refunded");
  shows("paid twice, one paid back", twiceBack);
  const some = await paid(await create());
  await checkout.refunds.add(some, { amount: "500.00", reference: "SGR5K1TT0P", by: "Amina" });
  shows("paid, a part paid back", some);
  const other = await create();
  await ask(other);
  const otherReference = (await checkout.get(other))?.attempts[0]?.reference;
  await report(other, "1.00", { reference: otherReference });
  shows("another amount", other);
  const refused = await paid(await create("REFUSED"));
  shows("refused", refused);
  const refusedBack = await paid(await create("REFUSED"));
  await decide(refusedBack, "refunded");
  shows("refused, paid back", refusedBack);
  for (const [name, reason] of [
    ["canceled", "canceled"],
    ["paid elsewhere", "paid_elsewhere"],
  ] as const) {
    const ended = await create();
    await checkout.cancel(ended, { reason });
    shows(name, ended);
    const late = await create();
    await checkout.cancel(late, { reason });
    await report(late, "1500.00");
    shows(`${name}, money came`, late);
    const back = await create();
    await checkout.cancel(back, { reason });
    await report(back, "1500.00");
    await decide(back, "refunded");
    shows(`${name}, money paid back`, back);
  }
  const stillAsked = await create();
  await ask(stillAsked);
  await checkout.cancel(stillAsked);
  shows("canceled, phone still asked", stillAsked);
  const soon = { expiresAt: new Date(Date.now() + 1_000) };
  const expired = await create("ORDER", soon);
  const late = await create("ORDER", soon);
  await report(late, "500.00");
  for (const id of [expired, late]) {
    while ((await checkout.get(id))?.status !== "expired") {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await checkout.reconcile();
    }
  }
  shows("expired", expired);
  shows("expired, a part came", late);

  states.set("no link", {
    serve: page,
    send: (lang) => new Request(`https://shop.example/pay/x?lang=${lang}`),
  });
  posts("from another site", "0712345678", "cross-site");
  states.set("too often", {
    serve: page,
    send: async (lang) => {
      const link = checkout.payLink(await create());
      for (let time = 0; time < 10; time++) await page(form(link, lang, "12"));
      return form(link, lang, "12");
    },
  });
  states.set("unsure", {
    serve: async (request) => {
      failsAfterPrompt = true;
      const { headers } = await page(request);
      failsAfterPrompt = false;
      const next = new URL(headers.get("location") ?? "", request.url);
      const response = await page(new Request(next));
      db.exec(BACK);
      return response;
    },
    send: async (lang) => form(checkout.payLink(await create()), lang, newPhone()),
  });
  states.set("not sent", {
    serve: async (request) => {
      db.exec(AWAY);
      const response = await page(request);
      db.exec(BACK);
      return response;
    },
    send: async (lang) => form(checkout.payLink(await create()), lang, newPhone()),
  });

  /** Every state in a language, without scripts; with `hasScripts`, what they show is shown. */
  const shown = async (lang: string, hasScripts: boolean): Promise<Shown[]> => {
    const all: Shown[] = [];
    for (const [name, { serve, send }] of states) {
      const html = await (await serve(await send(lang))).text();
      const still = html
        .replace(/<script>.*<\/script>/s, "")
        .replace(/<noscript>.*?<\/noscript>/s, "");
      all.push({
        name,
        html: hasScripts ? still.replaceAll("data-print hidden", "data-print") : still,
      });
    }
    return all;
  };
  return { shown, close: () => db.close() };
}
