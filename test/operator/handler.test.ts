import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Gateway } from "malipo";
import { nodeHandler } from "malipo/node";
import { type DecisionLine, operatorHandler } from "malipo/operator";
import { afterEach, describe, expect, test } from "vitest";
import { knownOf } from "../../src/operator/event-entries.ts";
import { sqliteInbox } from "../support/stores/sqlite-inbox.ts";
import { HOSTILE, nightShift } from "./stage.ts";

const SAME_SITE = { "sec-fetch-site": "same-origin" };

const hrefs = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);

/** The address of the first row of a list. */
const rowOf = (html: string, list: string): string => {
  const href = hrefs(html).find((one) => one.startsWith(`?list=${list}&amp;item=`)) ?? "";
  return href.replaceAll("&amp;", "&");
};

describe("the operator's page", () => {
  test("shows what fails by its error, with order, amount and a masked phone", async () => {
    const { get } = await nightShift();
    const { status, html } = await get("?list=failing");
    expect(status).toBe(200);
    expect(html).toContain("TypeError: no stock for ORDER-1");
    expect(html).toContain("<strong>ORDER-1</strong>");
    expect(html).toContain("KES 1,500.00");
    expect(html).toContain("0712 *** 678");
    expect(html).not.toMatch(/254712345678|0712345678/);
  });

  test.each([[""], [null], ["0712345623"], ["254712345623"]])(
    "names an event with the label %j by its reference",
    (account_reference) => {
      const known = knownOf({ account_reference, reference: "PAY-9", amount: "1.00" }, "KE");
      expect([known.order, known.references]).toEqual([undefined, ["PAY-9"]]);
    },
  );

  test("puts money first, and leads from each counter to its list", async () => {
    const { get } = await nightShift();
    const { html } = await get();
    const titles = [...html.matchAll(/<h2 id="(\w+)-title">/g)].map(([, name]) => name);
    expect(titles).toEqual(["twice", "unknown", "failing", "conflicts"]);
    expect(html).toMatch(/href="\?list=conflicts">Conflicts <b>1<\/b>/);
    expect(html).toMatch(/href="\?list=unknown">Unknown requests <b>1<\/b>/);
    expect(html).toMatch(/href="\?list=dead" class="zero">All attempts failed <b>0<\/b>/);
  });

  test("shows events that were never tried apart from those of which all attempts failed", async () => {
    const { get } = await nightShift({}, { replays: 2, inbox: sqliteInbox(":memory:") });
    const { html } = await get();
    expect(html).toMatch(/Too old, never tried <b>2<\/b>/);
    expect(html).toMatch(/All attempts failed <b>0<\/b>/);
  });

  test("shows both versions of a conflict, with what differs first", async () => {
    const { get } = await nightShift();
    const { html } = await get(rowOf((await get()).html, "conflicts"));
    expect(html).toContain("First version");
    const [row = ""] = /<tr class="differs">.*?<\/tr>/s.exec(html) ?? [];
    expect(row).toContain("amount");
    expect(row).toMatch(/<td>1500.00<\/td><td>1.00<\/td>/);
    expect(html.match(/class="differs"/g)).toHaveLength(1);
    expect(html).toContain("<td>Ask at 0712***679.</td>");
  });

  test("shows one payment with what happened to it, in order", async () => {
    const { get, reference } = await nightShift();
    const { html } = await get(`?payment=${reference}`);
    expect(html).toContain(`Payment ${reference}`);
    expect(html.indexOf("Failing now:")).toBeGreaterThan(0);
    expect(html.indexOf("Failing now:")).toBeLessThan(html.indexOf("Conflicts:"));
  });

  test("says why the service could not be asked, and shows the events nevertheless", async () => {
    const { get, gateway, receiver } = await nightShift();
    const { html, status } = await get("?payment=PAY-2");
    expect(status).toBe(200);
    expect(html).toContain("The payment service has no such payment.");
    expect(html).toContain("Failing now: TypeError");
    const payments = { get: () => Promise.reject(new Error("it is down")) };
    const away = { ...gateway, idempotency: gateway.idempotency, payments } as unknown as Gateway;
    const page = operatorHandler({ receiver, gateway: away, authorize: () => true });
    const other = await (await page(new Request("https://shop.test/?payment=PAY-2"))).text();
    expect(other).toContain("The payment service could not be asked: it is down");
  });

  test("shows the other lists if one cannot be read", async () => {
    const { handler, receiver, gateway } = await nightShift();
    const broken = {
      ...receiver.conflicts,
      list: () => Promise.reject(new Error("disk is gone: 0712.345.679")),
    };
    const page = operatorHandler({
      receiver: { ...receiver, conflicts: broken } as typeof receiver,
      gateway,
      authorize: () => true,
    });
    const html = await (await page(new Request("https://shop.test/operator"))).text();
    expect(html).toContain("This could not be read: disk is gone: 0712***679");
    expect(html).toContain("no stock for ORDER-1");
    expect((await handler(new Request("https://shop.test/operator"))).status).toBe(200);
  });

  test("says that the story of a payment is not whole if it could not look", async () => {
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
  });

  test("writes times in the zone that is set, and names it", async () => {
    const { get } = await nightShift({ timeZone: "Africa/Nairobi" });
    expect((await get()).html).toMatch(/\d\d:\d\d:\d\d EAT<\/time>/);
    const { receiver, gateway } = await nightShift();
    const wrong = { receiver, gateway, authorize: () => true, timeZone: "Nairobi" };
    expect(() => operatorHandler(wrong)).toThrow(/`timeZone`/);
  });

  test.each([
    ["an order", "ORDER-1"],
    ["a phone, as people write it", "0712 345 678"],
    ["an amount", "1,500"],
  ])("finds %s in what waits", async (_, query) => {
    const { get } = await nightShift();
    const { html } = await get(`?q=${encodeURIComponent(query)}`);
    expect(rowOf(html, "failing")).not.toBe("");
    expect((await get("?q=ORDER-NONE")).html).toContain("Nothing that waits, and no order.");
  });

  test("finds by a phone no event of another phone that is masked alike", async () => {
    const { get } = await nightShift();
    const { html } = await get("?q=0712999678");
    expect(html).not.toContain("<strong>ORDER-1</strong>");
    expect(html).toContain("Nothing that waits, and no order.");
  });

  test("shows a list page by page, each event once", async () => {
    const { get } = await nightShift({}, { orders: 60 });
    const seen: string[] = [];
    let pages = 0;
    for (let address: string | undefined = "?list=failing"; address !== undefined; pages++) {
      const { html } = await get(address);
      seen.push(...[...html.matchAll(/item=([0-9a-f]{64})/g)].map(([, id = ""]) => id));
      const [, next] = /href="([^"]+)">Next /.exec(html) ?? [];
      address = next?.replaceAll("&amp;", "&");
    }
    expect(pages).toBe(3);
    expect(seen).toHaveLength(61);
    expect(new Set(seen).size).toBe(61);
  });
});

describe("a decision", () => {
  const conflictOf = async (receiver: Awaited<ReturnType<typeof nightShift>>["receiver"]) =>
    (await receiver.conflicts.list())[0]?.id ?? "";

  test("is asked about once, by a page that says what it will do", async () => {
    const { get, receiver } = await nightShift({ actions: true });
    const address = `?list=conflicts&item=${await conflictOf(receiver)}`;
    const { html } = await get(address);
    expect(html).toMatch(/class="button bad" href="[^"]+do=drop">Drop…</);
    expect(html).not.toContain('<form method="post"');
    const asked = await get(`${address}&do=drop`);
    expect(asked.html).toContain("1 event will be taken off the list without being processed");
    expect(asked.html).toContain('<button class="danger">Drop</button>');
    expect(await receiver.conflicts.list()).toHaveLength(1);
  });

  test("is done, is shown, and cannot be made again", async () => {
    const { receiver, post, get } = await nightShift({
      actions: true,
      authorize: () => ({ operator: "Amina" }),
    });
    const fields = { list: "conflicts", action: "drop", id: await conflictOf(receiver) };
    const response = await post(fields, SAME_SITE);
    expect(response.status).toBe(303);
    expect(await receiver.conflicts.list()).toHaveLength(0);
    const { search } = new URL(response.headers.get("location") ?? "", "https://shop.test");
    expect((await get(search)).html).toContain("1 event dropped.");
    const again = await post(fields, SAME_SITE);
    expect(again.status).toBe(422);
    expect(await again.text()).toContain("Nothing was changed: There is no conflict");
    const { html } = await get("?decisions=1");
    expect(html).toMatch(/<strong>Amina<\/strong> <span class="badge good">done<\/span>/);
  });

  test("leads back to the page, whatever path the form was sent to", async () => {
    const night = await nightShift({ actions: true });
    const fields = { list: "conflicts", action: "drop", id: await conflictOf(night.receiver) };
    const address = "https://shop.test//evil.example/operator";
    const body = new URLSearchParams(fields);
    const request = new Request(address, { method: "POST", body, headers: SAME_SITE });
    const response = await night.handler(request);
    expect(response.status).toBe(303);
    const target = new URL(response.headers.get("location") ?? "", address);
    expect([target.host, target.pathname]).toEqual(["shop.test", "//evil.example/operator"]);
  });

  test("that a restart would forget is listed with a note that says so", async () => {
    const { get } = await nightShift({ actions: true });
    expect((await get("?decisions=1")).html).toContain("a restart forgets them");
    const lines: DecisionLine[] = Array.from({ length: 101 }, (_, at) => ({
      decision: `d${at}`,
      state: "planned",
      at,
      text: "",
      dueAt: Number.MAX_SAFE_INTEGER / 2 ** 10,
    }));
    const decisions = { append: async () => {}, read: async () => lines };
    const kept = await (await nightShift({ actions: true, decisions })).get("?decisions=1");
    expect(kept.html).not.toContain("a restart forgets them");
    expect(kept.html).toContain("The last 100 are shown");
  });

  test("can be taken back while nothing has happened", async () => {
    const { receiver, post, get } = await nightShift({ actions: true, takeBackMs: 3_600_000 });
    const fields = { list: "conflicts", action: "drop", id: await conflictOf(receiver) };
    const response = await post(fields, SAME_SITE);
    const { search, searchParams } = new URL(
      response.headers.get("location") ?? "",
      "https://shop.test",
    );
    expect((await get(search)).html).toContain('value="take_back">Take back</button>');
    expect(await receiver.conflicts.list()).toHaveLength(1);
    const twice = await post(fields, SAME_SITE);
    expect(await twice.text()).toContain("Someone has decided about it already");
    const decision = searchParams.get("done") ?? "";
    const back = await post({ action: "take_back", decision }, SAME_SITE);
    expect(back.status).toBe(303);
    expect((await get(search)).html).toContain("Taken back: nothing was changed.");
    const late = await post({ action: "take_back", decision }, SAME_SITE);
    expect([late.status, await late.text()]).toEqual([422, expect.stringContaining("too late")]);
    expect(await receiver.conflicts.list()).toHaveLength(1);
  });

  test("that is done and cannot be noted is not called undone", async () => {
    const lines: DecisionLine[] = [];
    const decisions = {
      append: async (line: DecisionLine) => {
        if (line.state === "done") throw new Error("no space left on device");
        lines.push(line);
      },
      read: async () => lines,
    };
    const { receiver, post } = await nightShift({ actions: true, decisions });
    const fields = { list: "conflicts", action: "drop", id: await conflictOf(receiver) };
    const text = await (await post(fields, SAME_SITE)).text();
    expect(await receiver.conflicts.list()).toHaveLength(0);
    expect(text).not.toContain("Nothing was changed");
    expect(text).toContain("1 event dropped. The log of decisions cannot be written");
  });

  test("whose store fails on the way is not called undone", async () => {
    const { receiver, post } = await nightShift({ actions: true });
    const id = await conflictOf(receiver);
    const drop = receiver.conflicts.drop.bind(receiver.conflicts);
    // As if the connection was lost before the store could say that it is done.
    Object.assign(receiver.conflicts, {
      drop: async (ids: string) => {
        await drop(ids);
        throw new Error("connection lost");
      },
    });
    const text = await (await post({ list: "conflicts", action: "drop", id }, SAME_SITE)).text();
    expect(text).not.toContain("Nothing was changed");
    expect(text).toContain("It is not known whether it was done");
  });

  test("whose log cannot be read leaves the page as it is, and it says so", async () => {
    const decisions = {
      append: async () => {},
      read: () => Promise.reject(new Error("permission denied")),
    };
    const { get } = await nightShift({ actions: true, decisions });
    const { status, html } = await get();
    expect(status).toBe(500);
    expect(html).toContain("The decisions that were made cannot be read: permission denied");
    expect(html).toContain("no stock for");
  });

  test("about unknown attempts waits for the service, which hides none of them", async () => {
    const { get, sandbox } = await nightShift({ actions: true });
    const effect = { kind: "status", status: 500 } as const;
    sandbox.faults.add({ match: { method: "GET" }, effect, times: Number.POSITIVE_INFINITY });
    const { html } = await get("?list=unknown");
    expect(html).toContain("ORDER-2/1");
    expect(html).not.toContain("This could not be read");
    const item = (await get(rowOf(html, "unknown"))).html;
    expect(item).toContain("the list of the payment service could not be read");
    expect(item).not.toContain("It was not sent");
  });

  test("is done without a further request when its time is over", async () => {
    const { receiver, post } = await nightShift({ actions: true, takeBackMs: 20 });
    const id = await conflictOf(receiver);
    await post({ list: "conflicts", action: "drop", id }, SAME_SITE);
    await expect.poll(() => receiver.conflicts.list()).toHaveLength(0);
  });

  test("is done by another process if the first one ended before, once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "malipo-decisions-"));
    const decisions = join(folder, "decisions.jsonl");
    const { receiver, gateway, reference: _ } = await nightShift({ actions: true });
    const id = await conflictOf(receiver);
    const target = { list: "conflicts", action: "drop", id };
    const planned = {
      decision: "d1",
      state: "planned",
      at: 1,
      by: "Amina",
      text: "",
      dueAt: 2,
      target,
    };
    // What a process leaves that is killed while it writes.
    writeFileSync(decisions, `${JSON.stringify(planned)}\n{"decision":"d2","st`);
    let drops = 0;
    const conflicts = {
      ...receiver.conflicts,
      drop: (ids: string | readonly string[]) => {
        drops++;
        return receiver.conflicts.drop(ids);
      },
    };
    const open = () =>
      operatorHandler({
        receiver: { ...receiver, conflicts } as typeof receiver,
        gateway,
        authorize: () => true,
        decisions,
      });
    const request = () => new Request("https://shop.test/operator?decisions=1");
    const [one, other] = [open(), open()];
    await Promise.all([one(request()), other(request())]);
    expect(drops).toBe(1);
    expect(await receiver.conflicts.list()).toHaveLength(0);
    expect(await (await open()(request())).text()).toContain("<strong>Amina</strong>");
    rmSync(folder, { recursive: true });
  });

  test("about all events with one cause takes those that were shown, and no later one", async () => {
    const { receiver, get, post } = await nightShift(
      { actions: true },
      { replays: 3, inbox: sqliteInbox(":memory:") },
    );
    const group = /list=tooOld&amp;group=([0-9a-f]+)/.exec((await get()).html)?.[1] ?? "";
    const { html } = await get(`?list=tooOld&group=${group}&do=drop`);
    const until = /name="until" value="(\d+)"/.exec(html)?.[1] ?? "";
    const none = await post(
      { list: "tooOld", action: "drop", group, until: String(Number(until) - 86_400_000) },
      SAME_SITE,
    );
    expect(none.status).toBe(422);
    expect(await receiver.deadLetters.list()).toHaveLength(3);
    await post({ list: "tooOld", action: "drop", group, until }, SAME_SITE);
    // The third one has another cause: it looks like a double payment.
    expect(await receiver.deadLetters.list()).toHaveLength(1);
  });
});

describe("the operator's page with large events", () => {
  const MB = 1_048_576;

  /** The page, and how many bytes of bodies it has read. */
  async function largeNight() {
    const { receiver, gateway } = await nightShift({}, { orders: 20, bytes: 900_000 });
    let bytes = 0;
    const read: typeof receiver.waiting.read = async (id) => {
      const found = await receiver.waiting.read(id);
      bytes += found.body.length;
      return found;
    };
    const waiting = { ...receiver.waiting, read };
    const page = operatorHandler({
      receiver: { ...receiver, waiting } as typeof receiver,
      gateway,
      authorize: () => true,
    });
    const get = async (query = "") =>
      (await page(new Request(`https://shop.test/operator${query}`))).text();
    return { get, bytes: () => bytes };
  }

  test("reads few bodies, shows every event, and says whose data it has not read", async () => {
    const { get, bytes } = await largeNight();
    const html = await get("?list=failing");
    expect(bytes()).toBeGreaterThan(2 * MB);
    expect(bytes()).toBeLessThan(8 * MB);
    expect(html).toMatch(/Failing now <small>21<\/small>/);
    const [, count] = /The data of (\d+) events is not shown/.exec(html) ?? [];
    expect(html.split("Data not read").length - 1).toBe(Number(count));
  });

  test("searches few bodies for the story of a payment, and says so", async () => {
    const { get, bytes } = await largeNight();
    const html = await get("?payment=PAY-2");
    expect(bytes()).toBeLessThan(8 * MB);
    expect(html).toContain("Not all events were searched");
  });

  test("shows the beginning of a large body, and the whole one as a file", async () => {
    const { get } = await largeNight();
    const address = [...(await get("?list=failing")).matchAll(/href="([^"]*item=[^"]*)"/g)].at(
      -1,
    )?.[1];
    const item = (address ?? "").replaceAll("&amp;", "&");
    const html = await get(item);
    expect(html.length).toBeLessThan(200_000);
    expect(html).toContain("The first 65,536 of");
    expect((await get(`${item}&download=1`)).length).toBeGreaterThan(900_000);
  });
});

describe("an unknown attempt", () => {
  const unknown = async ({ gateway }: Awaited<ReturnType<typeof nightShift>>) =>
    (await gateway.idempotency.list({ state: "unknown" })).items;

  test("gets the payment that it made, by a button that names it", async () => {
    const night = await nightShift({ actions: true });
    const { html } = await night.get(rowOf((await night.get()).html, "unknown"));
    const [, action = "", text] = /do=([^"]+)">([^<]+)…</.exec(html) ?? [];
    const decision = decodeURIComponent(action.replaceAll("+", " "));
    expect(text).toBe(`It made ${decision.split(" ")[1]}`);
    const [{ attempt } = { attempt: "" }] = await unknown(night);
    const fields = { list: "unknown", action: decision, id: `attempt:${attempt}` };
    expect((await night.post(fields, SAME_SITE)).status).toBe(303);
    expect(await unknown(night)).toHaveLength(0);
    expect(await (await night.post(fields, SAME_SITE)).text()).toContain("does not wait any more");
  });

  test.each(["resolve PAY-OTHER", "resolve not_sent"])(
    "is not resolved by a choice that is not offered: %s",
    async (action) => {
      const night = await nightShift({ actions: true });
      const [{ attempt } = { attempt: "" }] = await unknown(night);
      const fields = { list: "unknown", action, id: `attempt:${attempt}` };
      expect((await night.post(fields, SAME_SITE)).status).toBe(422);
      expect(await unknown(night)).toHaveLength(1);
    },
  );
});

describe("an attacker", () => {
  test("gets no page without `authorize`", () => {
    expect(() => operatorHandler({ receiver: {}, gateway: {} } as never)).toThrow(/`authorize`/);
  });

  test.each([false, undefined, "yes", 1, {}, { operator: "" }, { operator: 1 }, { name: "Amina" }])(
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
    ["its own host without TLS, in an old browser", { origin: "http://shop.test" }],
    ["another port, in an old browser", { origin: "https://shop.test:8443" }],
    ["a program", {}],
  ])("changes nothing by a form of %s", async (_, headers) => {
    const { receiver, post } = await nightShift({ actions: true });
    const [conflict] = await receiver.conflicts.list();
    const fields = { list: "conflicts", action: "drop", id: conflict?.id ?? "" };
    expect((await post(fields, headers)).status).toBe(403);
    expect(await receiver.conflicts.list()).toHaveLength(1);
  });

  test.each([
    ["from its page", "https://shop.test/operator", {}],
    ["behind a proxy that ends TLS", "http://127.0.0.1:3000/operator", {}],
    [
      "behind a proxy that says so",
      "http://127.0.0.1:3000/operator",
      { "x-forwarded-proto": "https, http" },
    ],
  ])("is not taken for the page of an old browser %s", async (_, address, headers) => {
    const { handler, receiver } = await nightShift({ actions: true });
    const [conflict] = await receiver.conflicts.list();
    const post = (origin: string) => {
      const body = new URLSearchParams({
        list: "conflicts",
        action: "drop",
        id: conflict?.id ?? "",
      });
      return handler(
        new Request(address, {
          method: "POST",
          body,
          headers: { host: "shop.test", ...headers, origin },
        }),
      );
    };
    expect((await post("https://evil.test")).status).toBe(403);
    if ("x-forwarded-proto" in headers) expect((await post("http://shop.test")).status).toBe(403);
    expect((await post("https://shop.test")).status).toBe(303);
  });

  test.each(["constructor", "toString", "__proto__"])(
    "cannot have the page print what every object inherits: ?done=%s",
    async (name) => {
      const { get } = await nightShift();
      const { html } = await get(`?done=${name}`);
      expect(html).not.toContain('class="notice"');
      expect(html).not.toContain("native code");
    },
  );

  test("cannot make the server read an endless form", async () => {
    const { handler, receiver } = await nightShift({ actions: true });
    let chunks = 0;
    let isCancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        if (++chunks > 2_000) controller.close();
        else controller.enqueue(new Uint8Array(1_000).fill(97));
      },
      cancel() {
        isCancelled = true;
      },
    });
    const init = { method: "POST", body, duplex: "half", headers: SAME_SITE };
    const response = await handler(new Request("https://shop.test/operator", init as RequestInit));
    expect([response.status, await response.text()]).toEqual([413, "The form is too large.\n"]);
    expect(isCancelled).toBe(true);
    expect(chunks).toBeLessThan(100);
    expect(await receiver.conflicts.list()).toHaveLength(1);
  });

  test("changes nothing without `actions`, and nothing by a GET", async () => {
    const { receiver, post, get } = await nightShift();
    const [conflict] = await receiver.conflicts.list();
    const fields = { list: "conflicts", action: "drop", id: conflict?.id ?? "" };
    expect((await post(fields, SAME_SITE)).status).toBe(405);
    const { html } = await get(`?${new URLSearchParams(fields)}`);
    expect(html).not.toContain('method="post"');
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
    const hostile = encodeURIComponent(HOSTILE);
    const queries = [
      "",
      "?list=failing",
      `?payment=${hostile}`,
      `?q=${hostile}`,
      `?list=conflicts&item=${hostile}`,
    ];
    for (const query of queries) {
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

describe("the page on a Node.js server", () => {
  let server: Server;
  afterEach(() => server.close());

  /** The first line of the response to the bytes of a request. */
  async function statusLine(handler: (request: Request) => Promise<Response>, request: string) {
    server = createServer(nodeHandler(handler)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.end(request);
    let text = "";
    for await (const chunk of socket) text += chunk;
    return text.split("\r\n")[0];
  }

  const shown = async () => new Response("shown");

  test.each([
    ["a method that no Request may have", "TRACE / HTTP/1.1\r\nhost: shop.test\r\n\r\n"],
    ["a host that is not one", "GET / HTTP/1.1\r\nhost: shop test:x\r\n\r\n"],
  ])("%s gets a 400, and the process lives on", async (_, request) => {
    expect(await statusLine(shown, request)).toBe("HTTP/1.1 400 Bad Request");
  });

  test("an error of `authorize` is a 500, and the process lives on", async () => {
    const fail = () => Promise.reject(new Error("no session store"));
    const request = "GET / HTTP/1.1\r\nhost: shop.test\r\nconnection: close\r\n\r\n";
    expect(await statusLine(fail, request)).toBe("HTTP/1.1 500 Internal Server Error");
  });

  test("a form that is too large gets a 413", async () => {
    const request = `POST / HTTP/1.1\r\nhost: shop.test\r\nconnection: close\r\ncontent-length: 70000\r\n\r\n${"a".repeat(70_000)}`;
    expect(await statusLine(shown, request)).toBe("HTTP/1.1 413 Payload Too Large");
  });

  test("a framework's `next` gets the error", async () => {
    const error = new Error("no session store");
    const passed = await new Promise((resolve) => {
      const request = Object.assign(Readable.from([]), { headers: { host: "shop.test" } });
      const response = new EventEmitter();
      void nodeHandler(() => Promise.reject(error))(request as never, response as never, resolve);
    });
    expect(passed).toBe(error);
  });
});
