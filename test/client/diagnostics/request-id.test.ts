import { describe, expect, test } from "vitest";
import { gatewayWith, KEYS, rejection } from "../support/gateway.ts";
import { connectionRefused, html, json, type Step, status, text } from "../support/responses.ts";

const ID = { "x-request-id": "req_7" };
const failing = (...steps: Step[]) =>
  rejection(gatewayWith(steps, { maxRetries: 1 }).gateway.merchant.get());

describe("requestId of an error", () => {
  test.each([
    ["a 4xx", status(404, ID)],
    ["a 5xx", status(500, { ...ID, "retry-after": "0" })],
    ["success: false", json({ success: false, error: "no" }, { headers: ID })],
    ["a 2xx that is not JSON", text("<p>", { headers: ID })],
    ["a body that is too large", text("x", { headers: { ...ID, "content-length": "99999999" } })],
  ])("is the id that the response named: %s", async (_, step) => {
    const error = await failing(step);
    expect(error.requestId).toBe("req_7");
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ requestId: "req_7" });
  });

  test("is that of the last attempt", async () => {
    const again = (id: string) => status(503, { "x-request-id": id, "retry-after": "0" });
    expect((await failing(again("req_1"), again("req_2"))).requestId).toBe("req_2");
  });

  test.each([
    ["the response named none", html()],
    ["there was no response", connectionRefused],
  ])("is undefined if %s", async (_, step) => {
    const error = await failing(step);
    expect(error.requestId).toBeUndefined();
    expect(Object.keys(error)).not.toContain("requestId");
  });

  test("does not show the key", async () => {
    const error = await failing(status(400, { "x-request-id": `for-${KEYS.secret}` }));
    expect(error.requestId).toBe("for-[redacted]");
  });
});

describe("requestId of withResponse()", () => {
  test("is the id that the response named", async () => {
    const { gateway } = gatewayWith([json({ data: {} }, { headers: ID })]);
    expect(await gateway.merchant.get().withResponse()).toMatchObject({ requestId: "req_7" });
  });

  test("is undefined if the result came out of the idempotency store", async () => {
    const { gateway } = gatewayWith([json({ data: { reference: "PAY-1" } }, { headers: ID })]);
    const pay = () =>
      gateway.mobileMoney
        .initiate({ amount: 1, phone: "0712345678" }, { idempotencyKey: "1" })
        .withResponse();
    const [first, second] = [await pay(), await pay()];
    expect([first.requestId, second.requestId]).toEqual(["req_7", undefined]);
  });
});
