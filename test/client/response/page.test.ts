import { Gateway, UnexpectedResponseError } from "malipo";
import { describe, expect, test } from "vitest";
import {
  createDialectService,
  FURTHER_DIALECTS,
  LEARNABLE_DIALECTS,
} from "../../support/dialects/index.ts";
import { IDS, ROWS } from "../../support/endpoints.ts";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { json, text } from "../support/responses.ts";

const LISTS = ROWS.filter(({ list }) => list);
/** Dialects whose lists are not inside `data`: only a name that is not usual leads to them. */
const ELSEWHERE = ["offset", "strict", "hal", "always-200"];
const LISTED = [...LEARNABLE_DIALECTS, ...FURTHER_DIALECTS].filter(
  ({ name }) => !ELSEWHERE.includes(name),
);
const ITEMS = [{ id: 1 }, { id: "b" }];

/** The places in which a service may put its list, and what is `meta` then. */
const SHAPES: [string, unknown, Record<string, unknown>][] = [
  ["a bare array", ITEMS, {}],
  ["data", { success: true, data: ITEMS }, { success: true }],
  [
    "data, paging beside it",
    { success: true, data: ITEMS, meta: { page: 1, total: 2 }, next: "c_9" },
    { success: true, meta: { page: 1, total: 2 }, next: "c_9" },
  ],
  [
    "data.data, paging inside",
    { success: true, data: { data: ITEMS, current_page: 1, next_page_url: null } },
    { success: true, current_page: 1, next_page_url: null },
  ],
  ["data.items, paging inside", { data: { items: ITEMS, total: 2 }, v: 1 }, { total: 2, v: 1 }],
  ["items at the root", { items: ITEMS, cursor: "c_9" }, { cursor: "c_9" }],
  [
    "data, empty",
    { success: true, data: [], meta: { total: 0 } },
    { success: true, meta: { total: 0 } },
  ],
];

describe.each(SHAPES)("a list as %s", (_, body, meta) => {
  const items = Array.isArray(body) || !JSON.stringify(body).includes("[]") ? ITEMS : [];

  test.each(LISTS)("is a page to $name", async (row) => {
    const { gateway } = gatewayWith([json(body)]);
    expect({ ...((await row.call(gateway, IDS)) as object) }).toEqual({ items, meta });
  });

  test("can be iterated several times", async () => {
    const { gateway } = gatewayWith([json(body)]);
    const page = await gateway.invoices.list();
    expect([...page]).toEqual(items);
    expect(Array.from(page, ({ id }) => id)).toEqual(items.map(({ id }) => id));
  });

  test("comes with the whole body by withResponse()", async () => {
    const { gateway } = gatewayWith([json(body)]);
    const { data, body: whole } = await gateway.invoices.list().withResponse();
    expect(data.items).toEqual(items);
    expect(whole).toEqual(body);
  });
});

test.each<[string, string, object?]>([
  ["the name of the resource", "payments"],
  ["any name, if it is the only array,", "transactions"],
  ["the name results", "results", { errors: [] }],
  ["the name records", "records", { errors: [] }],
  ["the name of the resource, before a usual one,", "payments", { data: [], items: [] }],
])(
  "a list inside data with %s is found, and what is beside it is meta",
  async (_, name, more = {}) => {
    const beside = { ...more, pagination: { page: 1 } };
    const body = { success: true, data: { ...beside, [name]: ITEMS } };
    const { gateway } = gatewayWith([json(body)]);
    expect({ ...(await gateway.payments.list()) }).toEqual({
      items: ITEMS,
      meta: { success: true, ...beside },
    });
  },
);

test("the name of a resource of two words is written with an underscore", async () => {
  const body = { data: { payment_accounts: ITEMS, limits: [] } };
  const { gateway } = gatewayWith([json(body)]);
  expect((await gateway.merchant.paymentAccounts()).items).toEqual(ITEMS);
});

describe.each(LISTED)("a service that speaks $name", (dialect) => {
  test("returns its payments, invoices, webhooks and accounts as pages", async () => {
    const { fetch, baseUrl, keys } = createDialectService(dialect);
    const gateway = new Gateway({ apiKey: keys.sandbox, baseUrl, fetch });
    const { reference } = await gateway.mobileMoney.initiate({ amount: 5, phone: "0712345678" });
    await gateway.invoices.create({ amount: 5, description: "Goods" });
    const payments = await gateway.payments.list();
    expect(payments.items).toHaveLength(1);
    expect(JSON.stringify(payments.items)).toContain(reference);
    expect((await gateway.invoices.list()).items).toHaveLength(1);
    expect((await gateway.webhooks.list()).items).toEqual([]);
    expect((await gateway.merchant.paymentAccounts()).items).toHaveLength(1);
  });
});

test("a log of a page shows its items and its meta", async () => {
  const { gateway } = gatewayWith([json({ data: ITEMS, total: 2 })]);
  const page = await gateway.webhooks.list();
  expect(JSON.parse(JSON.stringify(page))).toEqual({ items: ITEMS, meta: { total: 2 } });
});

test.each([
  ["an object without one", json({ success: true, data: { total: 0 } })],
  ["two arrays of unknown names", json({ data: { new: ITEMS, old: ITEMS } })],
  ["an array of an unknown name beside `success`", json({ success: true, warnings: [] })],
  ["only { success: true }", json({ success: true })],
  ["data: null", json({ success: true, data: null })],
  ["an object in the place of the list", json({ data: { items: { 0: ITEMS[0] } } })],
  ["a text", json("none")],
  ["nothing", text("")],
  ["204", text(null, { status: 204 })],
])("a response without a list is unexpected: %s", async (_, step) => {
  for (const row of LISTS) {
    const { gateway } = gatewayWith([step]);
    const error = await rejection(row.call(gateway, IDS));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain("its body holds no list");
  }
});

test("the query of a list is sent unchanged", async () => {
  const { gateway, sent } = gatewayWith([json([])]);
  const query = { page: 2, status: "pending", exact: true, ids: ["a", 1, false], since: undefined };
  await gateway.payments.list(query);
  await gateway.webhooks.list(query);
  await gateway.invoices.list(query);
  await gateway.invoices.list({});
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    ...Array.from({ length: 3 }, () => "?page=2&status=pending&exact=true&ids=a&ids=1&ids=false"),
    "",
  ]);
});
