import { readFileSync } from "node:fs";
import { type Gateway, InvalidParamsError } from "malipo";
import { describe, expect, test } from "vitest";
import { ENDPOINTS, type Endpoint } from "../../src/contract/endpoints.ts";
import { SCHEMAS } from "../../src/contract/schemas.ts";
import { gatewayWith, rejection } from "../client/support/gateway.ts";
import { json } from "../client/support/responses.ts";

const page = readFileSync("docs/reference/undocumented.md", "utf8");
/** What the page says of what the interface leaves open. */
const rejected = (about: string): string =>
  page.split("\n").find((line) => line.startsWith(`- ${about}`)) ?? "";

const order = { amount: 100, phone: "0712345678" };
const shop = { name: "shop", url: "https://shop.example/", events: ["payment.completed"] };
const wrong = (value: unknown) => value as never;

const ANSWER = json({ success: true, data: { status: "pending", reference: "PAY-1", items: [] } });

type Call = (gateway: Gateway) => PromiseLike<unknown>;

// What the page lists, with calls that are rejected and calls that are sent.
const LISTED: readonly [about: string, rejects: Call[], sends: Call[]][] = [
  [
    "the decimals and the smallest `amount`",
    [0, -1, 0.001, 1.005].map(
      (amount) => (g: Gateway) => g.mobileMoney.initiate({ ...order, amount }),
    ),
    [(g) => g.mobileMoney.initiate({ ...order, amount: 0.01 })],
  ],
  [
    "the length of a `phone`",
    ["07123456", "0712345678901234", "0712E45678"].flatMap((phone) => [
      (g: Gateway) => g.mobileMoney.initiate({ ...order, phone }),
      (g: Gateway) => g.mobileMoney.validatePhone(phone),
    ]),
    [(g) => g.mobileMoney.initiate({ ...order, phone: "+254 (712) 345-678" })],
  ],
  [
    "the type of `payment_account_id`",
    [true, {}, Number.NaN].map(
      (id) => (g: Gateway) => g.mobileMoney.initiate({ ...order, payment_account_id: wrong(id) }),
    ),
    [(g) => g.mobileMoney.initiate({ ...order, payment_account_id: "1" })],
  ],
  [
    "whether a registration needs its `name` and `url`",
    [
      (g) => g.webhooks.register(wrong({ url: shop.url })),
      (g) => g.webhooks.register(wrong({ name: "shop" })),
    ],
    [(g) => g.webhooks.register({ name: "shop", url: shop.url })],
  ],
  [
    "fields that are not documented",
    [(g) => g.mobileMoney.initiate(wrong({ amount: 1, phoneNumber: "0712345678" }))],
    [(g) => g.mobileMoney.initiate(wrong({ ...order, currency: "KES", phone_country: "KE" }))],
  ],
  [
    "the fields of `webhooks.update`",
    [{ name: 1 }, { url: "http://shop.example/" }, { events: "payment.completed" }].map(
      (changes) => (g: Gateway) => g.webhooks.update(1, wrong(changes)),
    ),
    [(g) => g.webhooks.update(1, { active: false })],
  ],
  [
    "the kinds in `events`",
    [(g) => g.webhooks.register({ ...shop, events: [""] })],
    [(g) => g.webhooks.register({ ...shop, events: ["payout.completed"] })],
  ],
  [
    "ids and references in a path",
    ["", ".", ".."].map((id) => (g: Gateway) => g.payments.get(id)),
    [(g) => g.payments.get("a/b?c")],
  ],
  [
    "the values in the query of a list",
    [(g) => g.payments.list(wrong({ page: { number: 1 } }))],
    [(g) => g.payments.list({ status: ["pending", "failed"], page: 1, all: true })],
  ],
  [
    "bodies that are not documented",
    [
      (g) => g.payments.initiate(wrong([])),
      (g) => g.mobileMoney.status(wrong("PAY-1")),
      (g) => g.invoices.create(wrong(1)),
    ],
    [(g) => g.invoices.create({ anything: [1] })],
  ],
];

describe("docs/reference/undocumented.md says what the client rejects although the interface leaves it open", () => {
  test.each(LISTED)("%s", async (about, rejects, sends) => {
    expect(rejected(about)).not.toBe("");
    for (const call of rejects) {
      const { gateway, sent } = gatewayWith([ANSWER]);
      expect(await rejection(Promise.resolve(call(gateway)))).toBeInstanceOf(InvalidParamsError);
      expect(sent).toHaveLength(0);
    }
    for (const call of sends) {
      const { gateway, sent } = gatewayWith([ANSWER]);
      await call(gateway);
      expect(sent).toHaveLength(1);
    }
  });

  test("in every item of its list", () => {
    const [, section = ""] = page.split("## What the client rejects\n");
    const rows = section.split("\n\n")[1]?.split("\n") ?? [];
    expect(rows.map((row) => LISTED.find(([about]) => row.startsWith(`- ${about}`))?.[0])).toEqual(
      LISTED.map(([about]) => about),
    );
  });

  test("with the guarded names of each call", () => {
    const guarded = Object.entries<Endpoint>(ENDPOINTS).flatMap(([name, { request }]) => {
      const { shape } = request === undefined ? {} : (SCHEMAS[request] as { shape?: object });
      // `validatePhone` takes a phone, not an object with names.
      if (shape === undefined || name === "mobileMoney.validatePhone") return [];
      const names = Object.keys(shape).map((field) => `\`${field}\``);
      return [`- \`${name}\`: ${names.join(", ")}`];
    });
    const [, list = ""] = page.split("The guarded names:\n\n");
    expect(list.split("\n\n")[0]?.split("\n")).toEqual(guarded);
  });
});
