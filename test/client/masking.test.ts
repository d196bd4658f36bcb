import { InvalidParamsError } from "malipo";
import { describe, expect, test } from "vitest";
import { fc } from "../support/properties.ts";
import { gatewayWith, rejection } from "./support/gateway.ts";
import { fail, html, json, reset, type Step, text } from "./support/responses.ts";

const PHONE = "254712345678";
const MASKED = "2547*****678";

// biome-ignore format: a table is read across
const ECHOES: [string, Step][] = [
  ["in the error of an envelope", json({ success: false, error: `${PHONE} is barred` }, { status: 422 })],
  ["in a message", json({ message: `no account for ${PHONE}.` }, { status: 404 })],
  ["as a number", json({ errors: [{ phone: Number(PHONE) }] }, { status: 400 })],
  ["in HTML", text(`<p>tel:${PHONE}</p>`, { status: 502 })],
  ["with a plus", json({ error: `+${PHONE}` }, { status: 400 })],
  ["in success: false", json({ success: false, error: PHONE })],
  ["in a 200 of HTML", text(`<p>${PHONE}</p>`)],
  ["in a 200 without what was promised", json({ data: { phone: PHONE } })],
  ["in what fetch throws", fail(new Error(`cannot reach ${PHONE}`))],
];

describe.each(ECHOES)("a phone that the service echoes %s", (_, step) => {
  test("is masked in the error's message and in its stack", async () => {
    const { gateway } = gatewayWith([step], { maxRetries: 0 });
    const error = await rejection(gateway.mobileMoney.initiate({ amount: 1, phone: PHONE }));
    expect(error.message).toContain(MASKED);
    expect(error.message).not.toContain(PHONE);
    expect(error.stack).not.toContain(PHONE);
  });
});

test("a phone that comes back in any usual way of writing it is masked", async () => {
  const ways = [
    "0712345678",
    "+254 712 345 678",
    "+254-712-345-678",
    "(0712) 345 678",
    "+254 (712) 345-678",
    "0712.345.678",
    "254 712  345 678",
  ];
  for (const way of ways) {
    const { gateway } = gatewayWith([json({ error: `For ${way}: no` }, { status: 400 })]);
    const { message } = await rejection(gateway.merchant.get());
    expect(message).not.toContain(way);
    expect(message).toMatch(/For \d{4}\*+678: no/);
  }
});

test("the body of an error keeps the phone", async () => {
  const { gateway } = gatewayWith([json({ error: PHONE }, { status: 400 })]);
  expect(await rejection(gateway.merchant.get())).toHaveProperty("body", { error: PHONE });
});

test("a rejected phone is masked in the message, the stack and the issues", async () => {
  const digits = fc.string({
    unit: fc.constantFrom(..."0123456789"),
    // Two more than the 15 of the longest number, since 00 may be in front of one.
    minLength: 18,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(digits, async (phone) => {
      const { gateway } = gatewayWith([html()]);
      const error = (await rejection(
        gateway.mobileMoney.validatePhone(phone),
      )) as InvalidParamsError;
      expect(error).toBeInstanceOf(InvalidParamsError);
      for (const shown of [error.message, error.stack, JSON.stringify(error.issues)]) {
        expect(shown).not.toContain(phone);
      }
    }),
  );
});

test.each([
  ["712345678", "7123**678"],
  ["0712345678", "0712***678"],
  ["254712345678", "2547*****678"],
  ["123456789012345", "1234********345"],
])("%s shows as %s", async (phone, masked) => {
  const { gateway } = gatewayWith([json({ error: `no ${phone}` }, { status: 400 })]);
  expect((await rejection(gateway.merchant.get())).message).toContain(`no ${masked}.`);
});

test.each(["12345678", "INV-0042", "2026-01-01", "KES 250000.00", "PAY-7HX2"])(
  "%s is not a phone and is not masked",
  async (said) => {
    const { gateway } = gatewayWith([json({ error: said }, { status: 400 })]);
    expect((await rejection(gateway.merchant.get())).message).toContain(said);
  },
);

describe("a phone in an address", () => {
  const ADDRESSES: [string, (phone: string) => object][] = [
    ["a path", (phone) => ({ path: `/customers/${encodeURIComponent(phone)}` })],
    ["a query", (phone) => ({ path: "/customers", query: { phone } })],
  ];

  test.each(
    ADDRESSES.flatMap(([place, params]) =>
      [
        PHONE,
        "0712345678",
        "+254712345678",
        "+254 712 345 678",
        "0712 345 678",
        "0712-345-678",
      ].map((phone) => [phone, place, params] as const),
    ),
  )("is masked in every hook's view and in the message: %s in %s", async (phone, _, params) => {
    const urls: string[] = [];
    const endpoints: string[] = [];
    const see = ({ url, endpoint }: { url: string; endpoint: string }) => {
      urls.push(url);
      endpoints.push(endpoint);
    };
    const again = { status: 503, headers: { "retry-after": "0" } };
    const { gateway, sent } = gatewayWith([json({}, again), reset], {
      hooks: { request: see, response: see, retry: see },
      maxRetries: 1,
    });
    const error = await rejection(
      gateway.request({ method: "GET", ...(params(phone) as { path: string }) }),
    );
    expect(urls).toHaveLength(4);
    expect(decodeURIComponent(sent[0]?.url ?? "").replaceAll("+", " ")).toContain(
      phone.replace("+", " "),
    );
    const digits = phone.replace(/\D/g, "");
    for (const shown of [...urls, ...endpoints, error.message, error.stack ?? ""]) {
      expect(decodeURIComponent(shown).replace(/[\s+-]/g, "")).not.toContain(digits);
    }
    for (const url of urls) expect(url).toMatch(/\*{3,}678$/);
  });
});
