import { describe, expect, test } from "vitest";
import {
  ApiError,
  AuthenticationError,
  Gateway,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  UnexpectedResponseError,
} from "../../../src/index.ts";
import { encodeProfile } from "../../../src/profile/file-format.ts";
import { EMPTY_PROFILE, type ServiceProfile } from "../../../src/profile/profile-types.ts";

const gatewayFor = (body: unknown, bodyResults?: ServiceProfile["bodyResults"]) =>
  new Gateway({
    apiKey: "sk_test_1",
    baseUrl: "https://pay.example/v1",
    fetch: async () => Response.json(body),
    ...(bodyResults && { profile: encodeProfile({ ...EMPTY_PROFILE, runs: RUNS, bodyResults }) }),
  });

const RUNS = { "0123abcd": { by: ["probe"], requests: 1, deliveries: 0 } };
const ONCE = { "0123abcd": 1 };

const pay = (...given: Parameters<typeof gatewayFor>) =>
  failure(gatewayFor(...given).mobileMoney.initiate({ amount: 5, phone: "0712345678" }));

const failure = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a 200 whose body says that the request failed", () => {
  test.each<[unknown, unknown]>([
    [{ success: false, error: "no" }, ApiError],
    [{ ok: false, message: "no" }, ApiError],
    [{ requestSuccessful: false, responseMessage: "no", responseCode: "99" }, ApiError],
    [{ status: false, message: "no", code: "403", data: null }, PermissionError],
    [{ status: "error", message: "no", data: null }, ApiError],
    [{ status: "failed", message: "no", data: null }, ApiError],
    [{ success: false, message: "no", statusCode: 404 }, NotFoundError],
    [{ header: { statusCode: "401", statusDescription: "no" }, response: {} }, AuthenticationError],
    [{ ResponseCode: "17", ResponseDescription: "no" }, ApiError],
    [{ errorCode: "INVALID", errorMessage: "no" }, ApiError],
    [{ code: 422, message: "no" }, InvalidRequestError],
    [{ error: true, message: "no" }, ApiError],
    [{ error: "no" }, ApiError],
    [{ error: { message: "no" } }, ApiError],
    [{ ResultCode: 1, ResultDesc: "no" }, ApiError],
    [{ result: "FAIL", message: "no" }, ApiError],
    [{ rc: "05", message: "no" }, ApiError],
    [{ status: "NOK", message: "no" }, ApiError],
    [{ status: "unsuccessful", data: null }, ApiError],
    [{ success: "false", message: "no" }, ApiError],
    [{ success: 0, message: "no" }, ApiError],
    [{ status: "NOT_FOUND" }, NotFoundError],
    [{ code: "UNAUTHORIZED", message: "no" }, AuthenticationError],
  ])("is an error of its class for a read: %j", async (body, ErrorType) => {
    const error = await failure(gatewayFor(body).payments.get("PAY-1"));
    expect(error).toBeInstanceOf(ErrorType);
    expect(error).not.toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({
      status: 200,
      outcome: expect.stringMatching(/rejected|unknown/),
    });
  });

  test.each([
    { success: false, message: "no" },
    { status: false, message: "no", data: null },
    { success: false, message: "no", code: 422 },
  ])("is a rejection of a payment if the body is sure of it: %j", async (body) => {
    expect(await pay(body)).toMatchObject({ outcome: "rejected" });
  });

  test.each([
    // Its meaning is known to the service only.
    { ResponseCode: "17", ResponseDescription: "no" },
    // Some services say so if the operator behind them did not respond.
    { resultcode: "403", result: "FAIL", message: "No response from upstream", data: [] },
    { status: "failed", message: "no", code: 422, data: null },
    { success: false, message: "no", code: 500 },
    { success: false, message: "no", code: 408 },
    // It is no documented flag, or not written as one.
    { error: true, message: "no" },
    { error: "no" },
    { success: "false", message: "no" },
  ])("leaves a payment unknown if the body is not sure: %j", async (body) => {
    expect(await pay(body)).toMatchObject({ outcome: "unknown" });
  });
});

describe("with a profile that knows where the body keeps its result", () => {
  const learned = {
    resultcode: { success: { "000": ONCE }, failure: { "403": ONCE, "17": ONCE } },
    status: { success: { pending: ONCE, completed: ONCE }, failure: { failed: ONCE } },
  };
  const rejected = (resultcode: string) => ({ resultcode, message: "no", data: [] });

  test.each(["17", "403"])("the learned failure %s rejects a read", async (code) => {
    const read = gatewayFor(rejected(code), learned).payments.get("PAY-1");
    expect(await failure(read)).toMatchObject({ outcome: "rejected" });
  });

  // A service may use the code of its refusals if the operator behind it did not respond.
  test.each(["17", "403"])("the learned failure %s leaves a payment unknown", async (code) => {
    expect(await pay(rejected(code), learned)).toMatchObject({ outcome: "unknown" });
  });

  test("a code that was not learned leaves a payment unknown", async () => {
    expect(await pay(rejected("18"), learned)).toMatchObject({ outcome: "unknown" });
  });

  test("a value that was seen in a success and in a failure is not sure", async () => {
    const both = { resultcode: { success: { "17": ONCE }, failure: { "17": ONCE } } };
    expect(await pay(rejected("17"), both)).toMatchObject({ outcome: "unknown" });
  });

  test("a learned failure that names a payment leaves it unknown", async () => {
    const body = { resultcode: "17", data: { reference: "PAY-1" } };
    expect(await pay(body, learned)).toMatchObject({ outcome: "unknown", reference: "PAY-1" });
  });

  test("a learned success is one, although its code looks like a failure", async () => {
    const odd = { code: { success: { "500": ONCE }, failure: { "0": ONCE } } };
    const read = gatewayFor({ code: "500", data: {} }, odd).merchant.get();
    expect(await failure(read)).toBeUndefined();
  });

  test("the status of a payment is not the result of the request", async () => {
    const payment = { reference: "PAY-1", status: "failed", amount: "5.00" };
    expect(await gatewayFor(payment, learned).payments.get("PAY-1")).toMatchObject(payment);
  });
});

describe("a 200 that says that the request succeeded", () => {
  test.each<unknown>([
    { success: true, code: 4001, message: "Deleted" },
    { status: "success", code: 4001, message: "Deleted" },
    { errorCode: "SUCCESS" },
    { code: 1, message: "Deleted" },
    { success: 1, message: "Deleted" },
  ])("is no error, whatever its code is: %j", async (body) => {
    expect(await failure(gatewayFor(body).webhooks.delete(1))).toBeUndefined();
  });
});

describe("a 200 with a resource", () => {
  test.each<unknown>([
    { reference: "PAY-1", status: "failed", amount: "5.00" },
    { success: true, data: { reference: "PAY-1", status: "failed", code: "1032" } },
    { data: { reference: "PAY-1", status: "failed" }, status: "success", code: "00" },
    { ResponseCode: "0", data: { reference: "PAY-1", status: "completed" } },
    { header: { statusCode: "0" }, data: { reference: "PAY-1", status: "pending" } },
    { status: "failed", amount: "5.00", reference: "PAY-1", message: "The PIN was wrong" },
  ])("is not an error: %j", async (body) => {
    const { reference } = await gatewayFor(body).payments.get("PAY-1");
    expect(reference).toBe("PAY-1");
  });
});
