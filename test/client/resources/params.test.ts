import { type Gateway, InvalidParamsError, type MobileMoneyPaymentParams } from "malipo";
import { describe, expect, test } from "vitest";
import { IDS, minimalBody, ROWS } from "../../support/endpoints.ts";
import { gatewayWith, KEYS, rejection } from "../support/gateway.ts";
import { json, status } from "../support/responses.ts";

const ORDER = { amount: 100, phone: "0712345678" };
const SHOP = { name: "shop", url: "https://shop.example", events: ["payment.completed"] };

/** A call without a compiler. */
const wrong = (value: unknown) => value as never;

const INVALID: [string, (gateway: Gateway) => Promise<unknown>, (string | number)[][]][] = [
  ["no parameters", ({ mobileMoney }) => mobileMoney.initiate(wrong(undefined)), [[]]],
  [
    "empty parameters",
    ({ mobileMoney }) => mobileMoney.initiate(wrong({})),
    [["amount"], ["phone"]],
  ],
  [
    "an amount of 0",
    ({ mobileMoney }) => mobileMoney.initiate({ ...ORDER, amount: 0 }),
    [["amount"]],
  ],
  [
    "an amount as a text",
    ({ mobileMoney }) => mobileMoney.initiate(wrong({ ...ORDER, amount: "100" })),
    [["amount"]],
  ],
  [
    "a third of a cent",
    ({ mobileMoney }) => mobileMoney.initiate({ ...ORDER, amount: 0.001 }),
    [["amount"]],
  ],
  [
    "a phone that is too short",
    ({ mobileMoney }) => mobileMoney.initiate({ ...ORDER, phone: "0712" }),
    [["phone"]],
  ],
  [
    "a label of 13 characters",
    ({ mobileMoney }) => mobileMoney.initiate({ ...ORDER, account_reference: "1234567890123" }),
    [["account_reference"]],
  ],
  [
    "a name in another case",
    ({ mobileMoney }) => mobileMoney.initiate(wrong({ ...ORDER, accountReference: "A" })),
    [["accountReference"]],
  ],
  [
    "a name that is nearly right",
    ({ mobileMoney }) => mobileMoney.initiate(wrong({ amount: 100, phoneNumber: "0712345678" })),
    [["phoneNumber"]],
  ],
  [
    "a near name of an optional field",
    ({ webhooks }) => webhooks.update(1, wrong({ event: [] })),
    [["event"]],
  ],
  [
    "no phone to validate",
    ({ mobileMoney }) => mobileMoney.validatePhone(wrong(undefined)),
    [["phone"]],
  ],
  [
    "a webhook on http:",
    ({ webhooks }) => webhooks.register({ ...SHOP, url: "http://shop.example" }),
    [["url"]],
  ],
  [
    "an event that is not a text",
    ({ webhooks }) => webhooks.register({ ...SHOP, events: wrong(["a", 7]) }),
    [["events", 1]],
  ],
  [
    "a change to http:",
    ({ webhooks }) => webhooks.update(7, { url: "http://shop.example" }),
    [["url"]],
  ],
  ["a payment that is a text", ({ payments }) => payments.initiate(wrong("100")), [[]]],
  ["a status query that is a list", ({ mobileMoney }) => mobileMoney.status(wrong([])), [[]]],
  ["an invoice of nothing", ({ invoices }) => invoices.create(wrong(undefined)), [[]]],
  ["an invoice with a bigint", ({ invoices }) => invoices.create({ total: 1n }), [[]]],
  ["a change that is null", ({ invoices }) => invoices.update(1, wrong(null)), [[]]],
  ["a sending with a text", ({ invoices }) => invoices.send(1, wrong("now")), [[]]],
];

describe("parameters that are wrong", () => {
  test.each(INVALID)(
    "are rejected, each with its path, and nothing is sent: %s",
    async (_, call, paths) => {
      const { gateway, sent } = gatewayWith([json({})]);
      const error = await rejection(call(gateway));
      expect(error).toBeInstanceOf(InvalidParamsError);
      expect(error).toMatchObject({
        code: "invalid_params",
        outcome: "not_sent",
        issues: paths.map((path) => ({ path, message: expect.stringContaining("expected") })),
      });
      expect(error.message).toContain("Nothing was sent");
      expect(sent).toHaveLength(0);
    },
  );

  test("are reported with what was expected and what was given", async () => {
    const { gateway } = gatewayWith([json({})]);
    const call = gateway.mobileMoney.initiate(wrong({ amount: "100", phone: null }));
    const error = await rejection(call);
    expect(error.message).toContain(
      '`amount` is invalid: expected an amount as a number, got "100"',
    );
    expect(error.message).toMatch(
      /`phone` is invalid: expected a string with .* a phone number, .*, got null/,
    );
    expect(error.message).toContain("POST /mobile-money/payment/initiate");
  });
});

describe("parameters are sent", () => {
  test.each<[string, MobileMoneyPaymentParams, unknown]>([
    [
      "as they are",
      { amount: 99.5, phone: "254712345678", description: "Two mangoes" },
      { amount: 99.5, phone: "254712345678", description: "Two mangoes" },
    ],
    [
      "with the phone in digits",
      { amount: 1, phone: "+254 712-345 678" },
      { amount: 1, phone: "254712345678" },
    ],
    [
      "without what is undefined",
      { ...ORDER, description: undefined, account_reference: undefined },
      ORDER,
    ],
    [
      "with an account's number",
      { ...ORDER, payment_account_id: 7 },
      { ...ORDER, payment_account_id: 7 },
    ],
    ["with undocumented fields", wrong({ ...ORDER, split: [1] }), { ...ORDER, split: [1] }],
  ])("%s", async (_, params, body) => {
    const { gateway, sent } = gatewayWith([json({ data: { reference: "PAY-1" } })]);
    await gateway.mobileMoney.initiate(params);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual(body);
  });

  test("as their own toJSON writes them, if they are not documented", async () => {
    class Money {
      readonly #cents = 150;
      toJSON() {
        return { cents: this.#cents };
      }
    }
    const { gateway, sent } = gatewayWith([json({ data: {} })]);
    await gateway.invoices.create(wrong(new Money()));
    await gateway.invoices.create({ total: new Money(), at: new Date(0) });
    expect(sent.map(({ body }) => body)).toEqual([
      '{"cents":150}',
      '{"total":{"cents":150},"at":"1970-01-01T00:00:00.000Z"}',
    ]);
  });

  test("as they were when the call was made, at each attempt", async () => {
    const again = status(429, { "retry-after": "0" });
    const { gateway, sent } = gatewayWith([again, again, json({ data: {} })]);
    const fields = { amount: 1 };
    const created = gateway.invoices.create(fields);
    fields.amount = 2;
    await created;
    expect(sent.map(({ body }) => body)).toEqual(['{"amount":1}', '{"amount":1}', '{"amount":1}']);
  });
});

/** Freezes a value deeply: writing to it throws. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

test("parameters are never changed", async () => {
  const order = frozen({ ...ORDER, phone: "+254 712 345 678", account_reference: "A" });
  const shop = frozen(structuredClone(SHOP));
  const query = frozen({ page: 1, tags: ["a"] });
  const options = () => frozen({ headers: { "x-trace": "1" }, timeoutMs: 5_000, maxRetries: 1 });
  const request = frozen({ method: "POST", path: "/x", body: { a: [1] }, query } as const);
  const setup = frozen({ maxRetries: 1, hooks: { drift: () => {} } });
  const answer = json({ data: { reference: "PAY-1", status: 1 } });
  const { gateway } = gatewayWith([status(429, { "retry-after": "0" }), answer], setup);

  await gateway.mobileMoney.initiate(order, options());
  await gateway.webhooks.register(shop, options());
  await gateway.webhooks.update(7, shop, options());
  await gateway.invoices.create(order, options());
  await gateway.request(request, options());
  const list = gatewayWith([json([])], setup);
  await list.gateway.payments.list(query, options());
  expect(order.phone).toBe("+254 712 345 678");
});

test("every method takes the options of a call as its last argument", async () => {
  for (const row of ROWS) {
    const { gateway, sent } = gatewayWith([json(minimalBody(row))]);
    await row.call(gateway, IDS, { headers: { "x-trace": row.name } });
    expect(sent[0]?.headers.get("x-trace")).toBe(row.name);
  }
});

test.each<[string, string, string, (gateway: Gateway, options: object) => Promise<unknown>]>([
  [
    "A call that reads",
    "idempotencyWaitMs",
    "headers",
    (shop, given) => shop.invoices.get(7, given),
  ],
  [
    "A call that may be repeated",
    "idempotencyKey",
    "headers",
    (shop, given) => shop.invoices.update(7, {}, given),
  ],
  ["A call", "key", "sendBefore", (shop, given) => shop.invoices.create({}, given)],
])("%s has no option %s, and says which it has", async (what, option, last, call) => {
  const { gateway, sent } = gatewayWith([json({ data: {} })]);
  const error = await rejection(call(gateway, { [option]: "ORDER-1" }));
  expect(error.code).toBe("configuration");
  expect(error.message).toMatch(
    new RegExp(`^${what} has no option "${option}"\\. .*, ${last}\\.$`),
  );
  expect(sent).toHaveLength(0);
});

test.each([
  ["x-no\nte", "fine", '"x-no\\nte"'],
  ["x-note", "sk_shop\nx", '"x-note"'],
])("a header that cannot be sent is named, and its value not shown", async (name, value, shown) => {
  const { gateway, sent } = gatewayWith([json({})]);
  const error = await rejection(gateway.merchant.get({ headers: { [name]: value } }));
  expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
  expect(error.message).toContain(`The header ${shown} cannot be sent`);
  expect(error.message).not.toContain(value);
  expect(sent).toHaveLength(0);
});

test.each<[unknown, string]>([
  [712345678, "the number 7123**678"],
  [0.1 + 0.2, "the number 0.30000000000000004"],
  [undefined, "nothing"],
  [null, "null"],
  [[], "an array"],
  [{}, "an object"],
  [true, "a boolean"],
  [KEYS.secret, "an API key"],
  ["x".repeat(90), `"${"x".repeat(60)}"`],
])("a phone that is %j is called by what it is", async (phone, name) => {
  const { gateway } = gatewayWith([json({})]);
  const error = await rejection(gateway.mobileMoney.validatePhone(wrong(phone)));
  expect(error.message).toMatch(new RegExp(`, got ${name.replaceAll("*", "\\*")}(?!\\w)`));
});
