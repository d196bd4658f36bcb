import { Gateway, type GatewayOptions } from "malipo";
import { describe, expect, test } from "vitest";
import { fc } from "../support/properties.ts";
import { BASE_URL, rejection } from "./support/gateway.ts";
import { fail, json, type Step, script, text, truncated } from "./support/responses.ts";
import { showingsOf } from "./support/showing.ts";

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
// Long enough that no message holds a key by chance.
const key = fc
  .tuple(
    fc.constantFrom("pk_", "sk_", "sb_"),
    fc.string({ unit: printable, minLength: 10, maxLength: 64 }),
  )
  .map(([prefix, rest]) => prefix + rest);

/** JSON whose strings are escaped more than they need be. */
const escaped = (value: unknown) =>
  JSON.stringify(value).replaceAll("/", "\\/").replaceAll("_", "\\u005f");
const spoiled = (value: string) => Object.assign(new TypeError("fetch failed"), { cause: value });

/** Ways in which a service, or a proxy before it, may echo the key. */
// biome-ignore format: a table is read across
const ECHOES: [string, (key: string) => Step][] = [
  ["in the error of an envelope", (key) => json({ success: false, error: `bad key ${key}` }, { status: 401 })],
  ["in a message", (key) => json({ message: key }, { status: 403 })],
  ["deep in a body", (key) => json({ errors: [{ at: ["header", { was: `<${key}>` }] }] }, { status: 422 })],
  ["in a field's name", (key) => json({ headers: { [key]: { [`x${key}`]: 1 } } }, { status: 400 })],
  ["as a body", (key) => json(key, { status: 500 })],
  ["twice in one text", (key) => json({ error: `${key}${key}` }, { status: 400 })],
  ["in escaped JSON", (key) => text(escaped({ error: key, [key]: [key] }), { status: 400 })],
  ["in HTML", (key) => text(`<h1>502</h1><pre>X-API-Key: ${key}</pre>`, { status: 502 })],
  // The last quotation mark is there so that no key completes it.
  ["in JSON that breaks off", (key) => text(`{"error":"${key}","`, { status: 500 })],
  ["in headers", (key) => json({}, { status: 401, headers: { "x-echo": key, "www-authenticate": `Key realm="${key}"` } })],
  ["in a status text", (key) => text("no", { status: 403, statusText: `Forbidden for ${key}` })],
  ["in a redirect", (key) => text(null, { status: 302, headers: { location: `https://b.test/?key=${key}` } })],
  ["in success: false", (key) => json({ success: false, error: key, data: { key } })],
  ["in a 200 of HTML", (key) => text(`<p>${key}</p>`)],
  ["in a 200 of broken JSON", (key) => text(`{"key": ${key}}`)],
  ["in a 200 with only the key", (key) => text(key)],
  ["in a 200 without what was promised", (key) => json({ success: true, data: { note: key } })],
  ["in what fetch throws", (key) => fail(new Error(`no such key ${key}`))],
  ["in a cause", (key) => fail(new TypeError("fetch failed", { cause: new Error(key, { cause: { key } }) }))],
  ["in a cause that is a text", (key) => fail(spoiled(`header ${key}`))],
  ["in an error's fields", (key) => fail(Object.assign(new Error("x"), { config: { headers: { "x-api-key": key }, list: [key] }, [key]: key }))],
  ["in one of several errors", (key) => fail(new AggregateError([new Error("a"), new Error(key)], `all of ${key}`))],
  ["in an error's stack", (key) => fail(Object.assign(new Error("x"), { stack: `Error: x\n    at ${key}` }))],
  ["in a thrown text", (key) => fail(`failed ${key}`)],
  ["in a thrown object", (key) => fail({ message: key, request: { key } })],
  ["in a DOMException", (key) => fail(new DOMException(`bad ${key}`, "NetworkError"))],
  ["in the Headers of an error", (key) => fail(Object.assign(new Error("x"), { headers: new Headers({ "x-api-key": key }) }))],
  ["in the Request of an error", (key) => fail(Object.assign(new Error("x"), { request: new Request(BASE_URL, { headers: { "x-api-key": key } }) }))],
  ["in a Map of an error", (key) => fail(Object.assign(new Error("x"), { headers: new Map([["x-api-key", key]]) }))],
  ["in an address of an error", (key) => fail(Object.assign(new Error("x"), { url: new URL(`https://b.test/?key=${key}`) }))],
  ["in a body that breaks off", (key) => (attempt) => {
    const response = truncated(attempt) as Response;
    Object.defineProperty(response, "text", { value: () => Promise.reject(new Error(`lost at ${key}`)) });
    return response;
  }],
];

describe.each(ECHOES)("a key that the service echoes %s", (_, echo) => {
  test("shows in no error and in no hook's view", async () => {
    await fc.assert(
      fc.asyncProperty(key, async (apiKey) => {
        const views: unknown[] = [];
        const see = (view: unknown) => views.push(view);
        const hooks = { request: see, response: see, retry: see, drift: see };
        const { fetch, sent } = script(echo(apiKey));
        const gateway = new Gateway({ apiKey, baseUrl: BASE_URL, fetch, hooks, maxRetries: 0 });
        const error = await rejection(gateway.payments.get("PAY-1"));
        expect(error).toHaveProperty("outcome");
        expect(sent).toHaveLength(1);
        expect(views.length).toBeGreaterThan(0);
        expect(showingsOf(apiKey, error)).toEqual([]);
        for (const view of views) expect(showingsOf(apiKey, view)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

test("a key that the service echoes before a retry does not show in the retry's view", async () => {
  const apiKey = "pk_live_quiteSecret";
  const views: unknown[] = [];
  const again = { "retry-after": "0", "x-echo": apiKey };
  const { fetch } = script(
    json({ error: apiKey }, { status: 503, headers: again }),
    json({ success: true, data: { status: "pending" } }),
  );
  const hooks = { retry: (view: unknown) => views.push(view) };
  await new Gateway({ apiKey, baseUrl: BASE_URL, fetch, hooks }).payments.get("PAY-1");
  expect(views).toHaveLength(1);
  expect(showingsOf(apiKey, views[0])).toEqual([]);
});

describe("a gateway", () => {
  test.each(["x-api-key", "bearer"] as const)("does not show its key, sent as %s", (auth) => {
    fc.assert(
      fc.property(key, (apiKey) => {
        const gateway = new Gateway({ apiKey, baseUrl: BASE_URL, auth });
        const { merchant, payments, mobileMoney, webhooks, invoices } = gateway;
        for (const part of [gateway, merchant, payments, mobileMoney, webhooks, invoices]) {
          expect(showingsOf(apiKey, part)).toEqual([]);
          expect(showingsOf(apiKey, { ...part })).toEqual([]);
        }
      }),
    );
  });

  test("has nothing enumerable but its namespaces", () => {
    const gateway = new Gateway({ apiKey: "sk_live_1", baseUrl: BASE_URL } as GatewayOptions);
    expect(Object.keys(gateway).sort()).toEqual(
      ["idempotency", "invoices", "merchant", "mobileMoney", "payments", "webhooks"].sort(),
    );
    expect(JSON.parse(JSON.stringify(gateway))).toEqual({
      idempotency: {},
      invoices: {},
      merchant: {},
      mobileMoney: {},
      payments: {},
      webhooks: {},
    });
  });
});

describe("a key in the wrong place", () => {
  const calls: [string, (gateway: Gateway, key: string) => Promise<unknown>][] = [
    ["as a phone", ({ mobileMoney }, key) => mobileMoney.validatePhone(key)],
    [
      "as an amount",
      ({ mobileMoney }, key) =>
        mobileMoney.initiate({ amount: key as unknown as number, phone: "0712345678" }),
    ],
    [
      "as a webhook's url",
      ({ webhooks }, key) => webhooks.register({ name: "x", url: key, events: [] }),
    ],
    ["as a path parameter", ({ payments }, key) => payments.get(key)],
    [
      "in a path",
      (gateway, key) => gateway.request({ method: "GET", path: `/x/${encodeURIComponent(key)}` }),
    ],
    ["in a query", ({ payments }, key) => payments.list({ key })],
    [
      "as a header's value",
      ({ merchant }, key) => merchant.get({ headers: { "x-bad": `${key}\n\0` } }),
    ],
  ];

  test.each(calls)("shows in no error and in no hook's view: %s", async (_, call) => {
    const apiKey = "sk_live_quiteSecret";
    const views: unknown[] = [];
    const see = (view: unknown) => views.push(view);
    const { fetch } = script(json({ success: false, error: "no" }, { status: 404 }));
    const hooks = { request: see, response: see };
    const gateway: Gateway = new Gateway({
      apiKey: apiKey as string,
      baseUrl: BASE_URL,
      fetch,
      hooks,
    });
    const error = await rejection(call(gateway, apiKey));
    expect(showingsOf(apiKey, error)).toEqual([]);
    for (const view of views) expect(showingsOf(apiKey, view)).toEqual([]);
  });
});
