import { describe, expect, test } from "vitest";
import { typesOf } from "../../src/learn/declarations.ts";
import { openapiOf } from "../../src/learn/openapi.ts";
import { Recorder } from "../../src/learn/recorder.ts";
import { formatProfile } from "../../src/profile/parse-profile.ts";
import { fc } from "../support/properties.ts";
import { learn, seen } from "./support/exchanges.ts";

/** Values that a profile must never hold: of names, phones, amounts, ids and keys. */
const canary = fc.oneof(
  fc.stringMatching(/^sk_canary[0-9]{6}[a-z]{4}$/),
  fc.stringMatching(/^2547[0-9]{8}$/),
  fc.stringMatching(/^[0-9]{5,7}\.[0-9]{2}$/),
  fc.stringMatching(/^CANARY[A-Z0-9]{10}$/),
  fc.stringMatching(/^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-8[a-f0-9]{3}-[a-f0-9]{12}$/),
  fc.stringMatching(/^Wanjiku Canary [A-Z][a-z]{8}$/),
  fc.stringMatching(/^canary\+[a-z]{6}@shop\.example$/),
  fc.stringMatching(/^https:\/\/canary\.example\/[a-z]{8}$/),
);

/** The forms under which a value could hide. */
const formsOf = (value: string): string[] => {
  const bytes = Buffer.from(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    bytes.toString("base64"),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    encodeURIComponent(value),
  ];
};

describe("a profile", () => {
  test("holds no value, wherever it stood and however it is written", () => {
    fc.assert(
      fc.property(
        fc.array(canary, { minLength: 1, maxLength: 4 }),
        fc.integer(),
        (canaries, seed) => {
          const all = fc.sample(seen(fc.constantFrom(...canaries)), { numRuns: 12, seed });
          const profile = learn("aaaaaaaa", all);
          const texts = [
            formatProfile(profile),
            typesOf(profile),
            JSON.stringify(openapiOf(profile, "https://x.example")),
          ];
          for (const form of canaries.flatMap(formsOf)) {
            for (const text of texts) expect(text.toLowerCase()).not.toContain(form.toLowerCase());
          }
        },
      ),
      // A header was named by a code of letters, which two digits ended.
      {
        numRuns: 150,
        examples: [
          [["CANARYAAAAAAAA00", "CANARYAAAAAA000A"], 1],
          [["CANARYAAAAAAAAAA"], 1],
        ],
      },
    );
  });

  test("holds no number of a body", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: Number.MAX_SAFE_INTEGER }), (number) => {
        const fields = [
          "amount",
          "per_page",
          "limit",
          "page",
          "total",
          "id",
          "status",
          "code",
          "offset",
        ];
        const item = Object.fromEntries(fields.map((name) => [name, number]));
        const body = JSON.stringify({
          ...item,
          data: [item],
          meta: item,
          errors: { [number]: number },
        });
        const paths = ["/payments", "/merchant", "/invoices"];
        const text = formatProfile(
          learn(
            "aaaaaaaa",
            paths.flatMap((path) =>
              [200, 422].map((status) => ({
                exchange: {
                  method: "GET",
                  path,
                  status,
                  headers: [["retry-after", "5"]] as const,
                  body,
                  query: new URLSearchParams({ limit: String(number) }),
                },
              })),
            ),
          ),
        );
        expect(text).not.toContain(String(number));
        expect(text).not.toContain(number.toString(16));
      }),
      { numRuns: 60 },
    );
  });

  test("holds no short number of a resource: a code there may be a PIN", () => {
    const resource = (code: number) => ({
      ...{ code, status_code: code, responseCode: String(code), name: "Duka" },
      meta: { code },
      header: { statusCode: code },
    });
    const exchange = { method: "GET", headers: [] as const, status: 200 };
    fc.assert(
      // A profile names the status of each response: the number 200 is there.
      fc.property(fc.integer({ min: 201, max: 9_999 }), (code) => {
        const bare = JSON.stringify(resource(code));
        const wrapped = JSON.stringify({ code: code + 10_000, data: resource(code) });
        const text = formatProfile(
          learn(
            "aaaaaaaa",
            ["/merchant", "/invoices/7"].flatMap((path) =>
              [bare, wrapped].map((body) => ({ exchange: { ...exchange, path, body } })),
            ),
          ),
        );
        expect(text).not.toMatch(new RegExp(`"${code}"|\\b${code}:`));
      }),
      { numRuns: 60 },
    );
  });

  test("holds no key of a map: names of customers, ids and phone numbers become *", () => {
    const customers = ["john", "mary", "wanjiku", "otieno", "achieng"];
    const body = JSON.stringify({
      data: {
        customers: Object.fromEntries(customers.map((name) => [name, { paid: true, orders: 3 }])),
        "254712345678": { seen: true },
        cus_9f8a7b6c: "x",
        "8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69": 1,
        inv_x7k2m9: { total: "1.00" },
      },
    });
    const exchange = { method: "GET", path: "/merchant", status: 200, headers: [], body };
    const profile = learn("aaaaaaaa", [{ exchange }]);
    expect(Object.keys(profile.endpoints["GET /merchant"]?.["200"]?.body ?? {})).toEqual([
      "$",
      "data",
      "data.*",
      "data.*.seen",
      "data.*.total",
      "data.customers",
      "data.customers.*",
      "data.customers.*.orders",
      "data.customers.*.paid",
    ]);
  });
});

describe("a profile of responses that repeat their requests", () => {
  test("tells which field repeats which, and holds neither value", () => {
    fc.assert(
      fc.property(fc.uniqueArray(canary, { minLength: 6, maxLength: 6 }), (values) => {
        const [description, account_reference, name, url, reference, status] = values;
        const recorder = new Recorder({ by: "probe" });
        const sent = {
          amount: 98_765.43,
          phone: "254798989898",
          description,
          account_reference,
          name,
          url,
        };
        const data = {
          ...{ reference, status, state: status, event: status, currency: status },
          ...{
            title: description,
            label: account_reference,
            total: 98_765.43,
            cents: 9_876_543,
            url,
          },
          nested: { [String(name)]: { [String(reference)]: name } },
        };
        const exchange = { status: 200, headers: [["x-customer", String(name)]] as const };
        for (const path of ["/invoices", "/mobile-money/payment/initiate", "/webhooks/register"]) {
          const body = JSON.stringify({ success: true, data });
          recorder.record({ ...exchange, method: "POST", path, sent, hasBody: true, body });
        }
        const body = JSON.stringify({ event: "payment.completed", timestamp: name, data });
        recorder.recordDelivery({ headers: exchange.headers, body, status: 200, receivedAt: 1 });
        const text = formatProfile(recorder.profile());
        expect(text).toContain('"same": ["description"]');
        for (const value of [...values, "98765", "254798989898"]) {
          for (const form of formsOf(value)) expect(text).not.toContain(form);
        }
      }),
      { numRuns: 100 },
    );
  });
});
