import type { GatewayError, Outcome } from "malipo";
import { describe, expect, test } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { json, text } from "../support/responses.ts";

const ORDER = { amount: 100, phone: "0712345678" };
const REFERENCE = "PAY-1";
const named = { reference: REFERENCE };

interface Row {
  readonly status?: number;
  /** As it travels, if JSON.stringify would change it. */
  readonly body: unknown;
  readonly code: GatewayError["code"];
  readonly outcome: Outcome;
  readonly reference?: string;
}

/** Responses to a create call, and what a caller may do after each. */
// biome-ignore format: a table is read across
const OUTCOMES: Record<string, Row> = {
  "success: false": { body: { success: false, error: "no" }, code: "api", outcome: "rejected" },
  "success: false with data: {}": { body: { success: false, data: {} }, code: "api", outcome: "rejected" },
  "success: false with an empty reference": { body: { success: false, data: { reference: "" } }, code: "api", outcome: "rejected" },
  "success: false with a reference": { body: { success: false, data: named }, code: "unexpected_response", outcome: "unknown", reference: REFERENCE },
  "success: false with a reference in a 202": { status: 202, body: { success: false, data: named, error: "provider timeout" }, code: "unexpected_response", outcome: "unknown", reference: REFERENCE },
  "success: false with a reference beside it": { body: { success: false, ...named }, code: "unexpected_response", outcome: "unknown", reference: REFERENCE },
  "success: false with a reference as a number": { body: { success: false, data: { reference: 42 } }, code: "unexpected_response", outcome: "unknown", reference: "42" },
  "success: false with the id of a prompt": { body: { success: false, data: { checkout_request_id: "ws_1" } }, code: "unexpected_response", outcome: "unknown" },
  "a 400 with a reference": { status: 400, body: { success: false, data: named }, code: "invalid_request", outcome: "unknown", reference: REFERENCE },
  "a 409 with a reference": { status: 409, body: { success: false, data: named }, code: "conflict", outcome: "unknown", reference: REFERENCE },
  "a 429 with a reference": { status: 429, body: { success: false, data: named }, code: "rate_limit", outcome: "unknown", reference: REFERENCE },
  "a 504 with a reference": { status: 504, body: { success: false, data: named }, code: "server", outcome: "unknown", reference: REFERENCE },
  "a 408": { status: 408, body: { success: false }, code: "api", outcome: "unknown" },
  "a 460": { status: 460, body: { success: false }, code: "api", outcome: "unknown" },
  "a 499": { status: 499, body: { success: false }, code: "api", outcome: "unknown" },
  'success: "false" with a reference': { body: { success: "false", data: named }, code: "unexpected_response", outcome: "unknown", reference: REFERENCE },
  "success: 0 with a reference": { body: { success: 0, data: named }, code: "unexpected_response", outcome: "unknown", reference: REFERENCE },
  'success: "No" with a reference': { body: { success: "No", data: named }, code: "unexpected_response", outcome: "unknown", reference: REFERENCE },
  "a reference of blanks": { body: { success: true, data: { reference: " \t" } }, code: "unexpected_response", outcome: "unknown" },
  "a reference that loses digits": { body: '{"success":true,"data":{"reference":9007199254740993}}', code: "unexpected_response", outcome: "unknown" },
  "a reference that is not a whole number": { body: '{"success":true,"data":{"reference":1.5}}', code: "unexpected_response", outcome: "unknown" },
  "a reference beyond all numbers": { body: '{"success":true,"data":{"reference":1e999}}', code: "unexpected_response", outcome: "unknown" },
};

describe.each(Object.entries(OUTCOMES))("%s", (_, { status = 200, body, ...expected }) => {
  const step = typeof body === "string" ? text(body, { status }) : json(body, { status });

  test(`has the outcome ${expected.outcome}, and names the payment if it can`, async () => {
    const { gateway } = gatewayWith([step]);
    const error = await rejection(gateway.mobileMoney.initiate(ORDER));
    expect(error).toMatchObject(expected);
    expect("reference" in error).toBe(expected.reference !== undefined);
    if (expected.reference) expect(error.message).toContain(expected.reference);
  });

  test(`${expected.outcome === "unknown" ? "keeps" : "frees"} the idempotency key`, async () => {
    const { gateway, sent } = gatewayWith([step], { idempotency: memoryIdempotency() });
    const initiate = () => gateway.mobileMoney.initiate(ORDER, { idempotencyKey: "ORDER-1/1" });
    await rejection(initiate());
    const error = await rejection(initiate());
    const isUnknown = expected.outcome === "unknown";
    expect(error.code).toBe(isUnknown ? "outcome_unknown" : expected.code);
    expect(sent).toHaveLength(isUnknown ? 1 : 2);
  });
});

test("a call that only reads may return a payment that has failed", async () => {
  const { gateway } = gatewayWith([json({ success: false, data: named })]);
  expect(await rejection(gateway.payments.get(REFERENCE))).toMatchObject({ outcome: "rejected" });
});

test.each([true, "true", 1, undefined, null])(
  "success: %j with a reference is a success",
  async (success) => {
    const { gateway } = gatewayWith([json({ success, data: named })]);
    await expect(gateway.mobileMoney.initiate(ORDER)).resolves.toEqual(named);
  },
);
