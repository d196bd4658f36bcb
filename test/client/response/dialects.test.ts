import { ApiError, type DriftView, UnexpectedResponseError } from "malipo";
import { describe, expect, test } from "vitest";
import { IDS, ROWS } from "../../support/endpoints.ts";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { html, json, type Step, text } from "../support/responses.ts";

const WITHOUT_PROMISE = ROWS.filter(
  ({ list, name }) => !list && name !== "payments.get" && name !== "mobileMoney.initiate",
);
const LISTS = ROWS.filter(({ list }) => list);

/** Envelopes that a service may use, as far as they are not documented. */
const WRAPPINGS = [
  ["in the documented envelope", (data: unknown) => ({ success: true, data })],
  ["only under data", (data: unknown) => ({ data })],
  ["with more in the envelope", (data: unknown) => ({ success: true, data, message: "OK", v: 2 })],
  ["with an error that is null", (data: unknown) => ({ success: true, data, error: null })],
  ["with no envelope", (data: unknown) => data],
] as const;

describe.each(WRAPPINGS)("a response %s", (_, wrap) => {
  test.each(ROWS.filter(({ list }) => !list))("is unwrapped by $name", async (row) => {
    const data = { id: 7, status: "pending", reference: "PAY-1", tag: "new" };
    const { gateway } = gatewayWith([json(wrap(data))]);
    await expect(row.call(gateway, IDS)).resolves.toEqual(data);
  });

  test.each([7, "7", "inv_7", null])("may give the id %j", async (id) => {
    const { gateway } = gatewayWith([json(wrap({ id }))]);
    await expect(gateway.invoices.get(1)).resolves.toEqual({ id });
  });
});

const EMPTY: [string, Step][] = [
  ["204", text(null, { status: 204 })],
  ["205", text(null, { status: 205 })],
  ["200 with no body", text("")],
  ["200 with white space", text(" \r\n")],
  ["null", json(null)],
  ["data: null", json({ success: true, data: null })],
  ["data: {}", json({ success: true, data: {} })],
];

describe.each(EMPTY)("an empty response, as %s,", (_, step) => {
  test.each(WITHOUT_PROMISE)("is {} to $name", async (row) => {
    const { gateway } = gatewayWith([step]);
    await expect(row.call(gateway, IDS)).resolves.toEqual({});
  });
});

test.each(WITHOUT_PROMISE)("only { success: true } is a success to $name", async (row) => {
  const { gateway } = gatewayWith([json({ success: true })]);
  await expect(row.call(gateway, IDS)).resolves.toBeTypeOf("object");
});

const LACKING: [string, unknown][] = [
  ["nothing", {}],
  ["null", null],
  ["an empty text", { status: "", reference: "" }],
  ["null in its place", { status: null, reference: null }],
  ["an object in its place", { status: {}, reference: {} }],
  ["true in its place", { status: true, reference: true }],
  ["a list", [{ status: "pending", reference: "PAY-1" }]],
  ["a text", "pending"],
];

describe.each([
  ["payments.get", "data.status"],
  ["mobileMoney.initiate", "data.reference"],
] as const)("%s, which promises %s,", (name, promised) => {
  const row = ROWS.find((one) => one.name === name) ?? expect.unreachable();

  test.each(LACKING)("rejects %s", async (_, data) => {
    const { gateway } = gatewayWith([json({ success: true, data })]);
    const error = await rejection(row.call(gateway, IDS));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown", status: 200 });
    expect(error).toHaveProperty("body", { success: true, data });
    expect(error.message).toContain(promised);
  });

  test.each([...EMPTY, ["only { success: true }", json({ success: true })] as const])(
    "rejects %s",
    async (_, step) => {
      const { gateway } = gatewayWith([step]);
      expect(await rejection(row.call(gateway, IDS))).toBeInstanceOf(UnexpectedResponseError);
    },
  );

  test("turns a number into a string and reports the drift", async () => {
    const drifts: DriftView[] = [];
    const { gateway } = gatewayWith([json({ data: { status: 2, reference: 42, x: 1 } })], {
      hooks: { drift: (view) => drifts.push(view) },
    });
    const data = await row.call(gateway, IDS);
    const field = promised.replace("data.", "");
    expect(data).toEqual({
      status: 2,
      reference: 42,
      x: 1,
      [field]: field === "status" ? "2" : "42",
    });
    expect(drifts).toContainEqual({
      endpoint: `${row.method} ${name === "payments.get" ? "/payments/{reference}" : row.path(IDS)}`,
      path: promised,
      expected: "a string",
      received: "number",
    });
  });
});

test.each(["pending", "completed", "failed", "reversed", "PENDING", "in review", "null"])(
  "the status %j passes through",
  async (status) => {
    const { gateway } = gatewayWith([json({ success: true, data: { status, extra: [1] } })]);
    await expect(gateway.payments.get("PAY-1")).resolves.toEqual({ status, extra: [1] });
  },
);

test.each([
  ["HTML", html()],
  ["JSON that breaks off", text('{"success":true,"data":{"sta')],
  ["two JSON values", text("{}{}")],
  ["a bare word", text("OK")],
])("a 2xx with %s is unexpected to every row", async (_, step) => {
  for (const row of ROWS) {
    const { gateway } = gatewayWith([step]);
    const error = await rejection(row.call(gateway, IDS));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ outcome: "unknown", status: 200, body: expect.any(String) });
    expect(error.cause).toBeInstanceOf(SyntaxError);
  }
});

test.each([200, 201, 202])(
  "success: false in a %i is an ApiError for every row",
  async (status) => {
    for (const row of ROWS) {
      const { gateway } = gatewayWith([json({ success: false, error: "no" }, { status })]);
      const error = await rejection(row.call(gateway, IDS));
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: "api", outcome: "rejected", status });
    }
  },
);

test.each(["false", 0, null, ""])(
  "success: %j is not a failure: only false is",
  async (success) => {
    const { gateway } = gatewayWith([json({ success, data: { status: "pending" } })]);
    await expect(gateway.payments.get("PAY-1")).resolves.toEqual({ status: "pending" });
  },
);

test.each(LISTS)("$name returns a page of the items", async (row) => {
  const { gateway } = gatewayWith([json({ success: true, data: [{ id: 1 }, { id: "2" }] })]);
  await expect(row.call(gateway, IDS)).resolves.toMatchObject({ items: [{ id: 1 }, { id: "2" }] });
});
