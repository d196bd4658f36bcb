import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let sandbox: Sandbox;
let served: ServedSandbox;
let status = 200;
beforeEach(async () => {
  status = 200;
  sandbox = createSandbox({ deliver: async () => new Response(null, { status }) });
  served = await sandbox.serve({ port: 0 });
  const url = "https://shop.example/hook";
  await post("/webhooks/register", { name: "shop", url, events: ["payment.initiated"] });
});
afterEach(() => served.close());

async function post(path: string, body: object, key = sandbox.keys.secret) {
  const headers = { "x-api-key": key };
  await fetch(served.baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
  await sandbox.deliveries.settled();
}
const pay = (last: number, account_reference: string) =>
  post("/payments/initiate", { amount: 10, phone: `07330000${last}`, account_reference });

/** One list of the page, and how many rows it shows. */
async function shown(name: "payments" | "deliveries" | "requests", query = "") {
  const page = await (await fetch(`${served.url}/?${query}`)).text();
  const markup = page.split(`id="${name}"`)[1]?.split("</section>")[0] ?? "";
  return { markup, rows: markup.split('<li class="row"').length - 1 };
}

describe("a list of the page", () => {
  test("finds deliveries by order, event, body and reason", async () => {
    await pay(10, "ORDER-1");
    status = 401;
    await pay(11, "ORDER-2");
    const found = async (text: string) =>
      (await shown("deliveries", `deliveries-find=${text}`)).rows;
    expect(await found("order-2")).toBe(1);
    expect(await found("payment.initiated")).toBe(2);
    expect(await found("wrong+secret")).toBe(1);
    expect(await found("nothing")).toBe(0);
  });

  test("finds requests by path, body and response", async () => {
    await pay(10, "ORDER-1");
    await post("/merchant", {}, "sk_unknown");
    const found = async (text: string) => (await shown("requests", `requests-find=${text}`)).rows;
    expect(await found("ORDER-1")).toBe(1);
    expect(await found("/merchant")).toBe(1);
    expect(await found("accepts+GET")).toBe(1);
  });

  test("has a search only if there is more than one page", async () => {
    const hasSearch = async () => (await shown("deliveries")).markup.includes('type="search"');
    await pay(10, "ORDER-1");
    expect(await hasSearch()).toBe(false);
    for (let last = 11; last < 22; last++) await pay(last, "MORE");
    expect(await hasSearch()).toBe(true);
  });

  test("counts equal failures, and leads to them", async () => {
    await pay(10, "ORDER-1");
    status = 500;
    for (let last = 11; last < 14; last++) await pay(last, "ORDER-2");
    const { markup } = await shown("deliveries");
    const [, link = "", text] =
      /<ul class="groups".*?href="\/\?([^"#]*)#.*?<strong>(.*?)<\/strong>/s.exec(markup) ?? [];
    expect(text).toBe("3 times");
    expect((await shown("deliveries", link.replaceAll("&amp;", "&"))).rows).toBe(3);
  });

  test("shows no preflight requests of browsers", async () => {
    await fetch(`${served.baseUrl}/payments`, { method: "OPTIONS" });
    expect((await shown("requests")).markup).not.toContain("OPTIONS");
  });

  test("copies a delivery as a command that sends it again", async () => {
    await pay(10, "ORDER-1");
    const [{ id, signature } = { id: "", signature: "" }] = sandbox.deliveries.all();
    const { markup } = await shown("deliveries", `delivery=${id}`);
    expect(markup).toContain("Copy as curl");
    expect(markup).toContain(`curl -s https://shop.example/hook \\\n  -H &#39;content-type`);
    expect(markup).toContain(`x-service-signature: ${signature}`);
  });
});
