import { operatorHandler } from "malipo/operator";
import { describe, expect, test } from "vitest";
import { HOSTILE, nightShift } from "./stage.ts";

const SAME_SITE = { "sec-fetch-site": "same-origin" };

describe("the operator's page", () => {
  test("shows what fails by its error, with order, amount and attempts", async () => {
    const { get, reference } = await nightShift();
    const { status, html } = await get();
    expect(status).toBe(200);
    expect(html).toContain("TypeError: no stock for ORDER-1");
    expect(html).toContain("order ORDER-1");
    expect(html).toContain("KES 1,500.00");
    expect(html).toContain(`href="?payment=${reference}"`);
  });

  test("shows conflicts, and attempts of unknown outcome beside the payments that match", async () => {
    const { get } = await nightShift();
    const { html } = await get();
    expect(html).toMatch(/Conflicts <small>1<\/small>/);
    expect(html).toMatch(/Unknown attempts <small>1<\/small>/);
    expect(html).toContain("ORDER-2/1");
    expect(html).toMatch(/Payments that match: <a href="\?payment=PAY-[^"]+">/);
  });

  test("shows one payment with the events of it that wait, in order", async () => {
    const { get, reference } = await nightShift();
    const { html } = await get(`?payment=${reference}`);
    expect(html).toContain(`Payment ${reference}`);
    expect(html).toMatch(/Its events that wait <small>2<\/small>/);
    expect(html.indexOf("the handler failed")).toBeLessThan(html.indexOf(">conflict<"));
  });

  test("says why the service could not be asked, and shows the events nevertheless", async () => {
    const { get } = await nightShift();
    const { html, status } = await get("?payment=PAY-2");
    expect(status).toBe(200);
    expect(html).toContain("The service could not be asked");
    expect(html).toMatch(/Its events that wait <small>1<\/small>/);
  });

  test("shows the other lists if one cannot be read", async () => {
    const { handler, receiver, gateway } = await nightShift();
    const broken = { ...receiver.conflicts, list: () => Promise.reject(new Error("disk is gone")) };
    const page = operatorHandler({
      receiver: { ...receiver, stats: receiver.stats, conflicts: broken } as typeof receiver,
      gateway,
      authorize: () => true,
    });
    const html = await (await page(new Request("https://shop.test/operator"))).text();
    expect(html).toContain("This could not be read: disk is gone");
    expect(html).toContain("no stock for ORDER-1");
    expect((await handler(new Request("https://shop.test/operator"))).status).toBe(200);
  });

  test("does not say that a payment has no events if it could not look at all", async () => {
    const { receiver, gateway } = await nightShift();
    const waiting = { ...receiver.waiting, list: () => Promise.reject(new Error("disk is gone")) };
    const page = operatorHandler({
      receiver: { ...receiver, waiting } as typeof receiver,
      gateway,
      authorize: () => true,
    });
    const address = "https://shop.test/operator?payment=PAY-2";
    const html = await (await page(new Request(address))).text();
    expect(html).toContain("Not all events were searched");
    expect(html).not.toContain("is processed");
  });

  test("requeues and drops only with `actions`, and then goes back to the page", async () => {
    const { receiver, post, get } = await nightShift({ actions: true });
    const [conflict] = await receiver.conflicts.list();
    expect((await get()).html).toContain("Process as a new event");
    const fields = { list: "conflicts", action: "drop", id: conflict?.id ?? "" };
    const response = await post(fields, SAME_SITE);
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      "/operator?done=drop#conflicts",
    ]);
    expect(await receiver.conflicts.list()).toHaveLength(0);
    const again = await post(fields, SAME_SITE);
    expect(again.status).toBe(422);
    expect(await again.text()).toContain("Nothing was changed: There is no conflict");
  });
});

describe("an unknown attempt", () => {
  const unknown = async ({ gateway }: Awaited<ReturnType<typeof nightShift>>) =>
    (await gateway.idempotency.list({ state: "unknown" })).items;

  test("gets the payment that it made, by a button that names it", async () => {
    const night = await nightShift({ actions: true });
    const { html } = await night.get();
    const [, id = "", text] =
      /name="id" value="([^"]+)"><button name="action" value="resolve">([^<]+)</.exec(html) ?? [];
    expect(text).toBe(`It made ${id.split(" ")[1]}`);
    const fields = { list: "unknown", action: "resolve", id };
    expect((await night.post(fields, SAME_SITE)).status).toBe(303);
    expect(await unknown(night)).toHaveLength(0);
    expect(await (await night.post(fields, SAME_SITE)).text()).toContain("resolved already");
  });

  test.each([
    ["PAY-OTHER", "The service has no payment PAY-OTHER."],
    ["not_sent", "The service lists a payment that this attempt may have made: PAY-"],
  ])("is not resolved with %s if the service contradicts it", async (outcome, message) => {
    const night = await nightShift({ actions: true });
    const [{ attempt } = { attempt: "" }] = await unknown(night);
    const fields = { list: "unknown", action: "resolve", id: `${attempt} ${outcome}` };
    const response = await night.post(fields, SAME_SITE);
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining(`Nothing was changed: ${message}`),
    ]);
    expect(await unknown(night)).toHaveLength(1);
  });
});

describe("an attacker", () => {
  test("gets no page without `authorize`", () => {
    expect(() => operatorHandler({ receiver: {}, gateway: {} } as never)).toThrow(/`authorize`/);
  });

  test.each([false, undefined, "yes", 1])(
    "sees nothing if `authorize` returns %j",
    async (value) => {
      const { get, post } = await nightShift({ authorize: () => value as never, actions: true });
      for (const query of ["", "?asset=style", "?payment=PAY-2"]) {
        const { status, html } = await get(query);
        expect([status, html]).toEqual([403, "You may not see this page.\n"]);
      }
      expect((await post({ list: "conflicts", action: "drop", id: "1" }, SAME_SITE)).status).toBe(
        403,
      );
    },
  );

  test.each<[string, Record<string, string>]>([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a subdomain", { "sec-fetch-site": "same-site" }],
    ["a typed address", { "sec-fetch-site": "none" }],
    ["another site, in an old browser", { origin: "https://evil.test" }],
    ["a page without an origin", { origin: "null" }],
    ["a program", {}],
  ])("changes nothing by a form of %s", async (_, headers) => {
    const { receiver, post } = await nightShift({ actions: true });
    const [conflict] = await receiver.conflicts.list();
    const fields = { list: "conflicts", action: "drop", id: conflict?.id ?? "" };
    expect((await post(fields, headers)).status).toBe(403);
    expect(await receiver.conflicts.list()).toHaveLength(1);
  });

  test("changes nothing without `actions`, and nothing by a GET", async () => {
    const { receiver, post, get } = await nightShift();
    const [conflict] = await receiver.conflicts.list();
    const fields = { list: "conflicts", action: "drop", id: conflict?.id ?? "" };
    expect((await post(fields, SAME_SITE)).status).toBe(405);
    const { html } = await get(`?${new URLSearchParams(fields)}`);
    expect(html).not.toContain("<form");
    expect(await receiver.conflicts.list()).toHaveLength(1);
  });

  test.each([
    { list: "gateway", action: "drop", id: "1" },
    { list: "conflicts", action: "constructor", id: "1" },
    { list: "__proto__", action: "", id: "1" },
    { list: "conflicts", action: "drop", id: "" },
  ])("cannot name another action: %j", async (fields) => {
    const { post } = await nightShift({ actions: true });
    expect((await post(fields, SAME_SITE)).status).toBe(422);
  });

  test("cannot put markup or a script into the page by an order or an address", async () => {
    const { get } = await nightShift({ actions: true });
    for (const query of ["", `?payment=${encodeURIComponent(HOSTILE)}`]) {
      const { html, headers } = await get(query);
      expect(html).not.toContain("<img");
      expect(html).not.toContain("<script");
      const policy = headers.get("content-security-policy");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("script-src");
      expect(headers.get("cache-control")).toBe("no-store");
    }
  });
});
