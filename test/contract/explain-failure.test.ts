import { explainFailure, Gateway } from "malipo";
import { createSandbox, MAGIC_SUFFIXES } from "malipo/sandbox";
import { expect, test } from "vitest";
import { RESULT_CODES } from "../../src/contract/result-codes.ts";

test.each([
  ["1032", "1032"],
  [1032, "1032"],
  ["1032: the customer cancelled the request", "1032"],
  ["[1037] DS timeout user cannot be reached", "1037"],
  ["Failed with ResultCode: 2001", "2001"],
  ["Request cancelled by user", "1032"],
  ["The balance is insufficient for the transaction.", "1"],
  ["paid KES 1500 too little", undefined],
  ["2026-11-22 was a holiday", undefined],
  ["", undefined],
])("the reason %j has the code %j", (reason, code) => {
  expect(explainFailure(reason).code).toBe(code);
});

test("each code has a cause, a text for the customer, and an advice", () => {
  for (const code of Object.keys(RESULT_CODES)) {
    const explained = explainFailure(code);
    expect(explained.code).toBe(code);
    expect(explained.cause).toMatch(/^[A-Z].*\.$/);
    expect(explained.customerMessage).toMatch(/^[A-Z].*\.$/);
    expect(explained.customerMessage).not.toMatch(/\d/);
  }
});

test("the service's own text and its own no to a retry come first", () => {
  const payment = { status: "failed", failure_reason: "1032", user_message: "Umeghairi." };
  expect(explainFailure(payment)).toMatchObject({ customerMessage: "Umeghairi.", retry: "now" });
  expect(explainFailure({ ...payment, retry_possible: false }).retry).toBe("no");
  // A prompt may be open: that the service allows another one does not change it.
  expect(explainFailure({ failure_reason: "1001", retry_possible: true }).retry).toBe("look_first");
});

test("what is not known is said to be so, and never guessed", () => {
  expect(explainFailure("777")).toEqual({
    code: "777",
    cause: "The code 777 is not known here. Ask the service what it means.",
    customerMessage: "The payment did not go through.",
    retry: "unknown",
  });
  expect(explainFailure({ status: "failed" })).toMatchObject({
    code: undefined,
    cause: "The service gave no reason.",
    retry: "unknown",
  });
  expect(explainFailure("constructor")).toMatchObject({ code: undefined, retry: "unknown" });
  expect(explainFailure({ failure_reason: "new text", retry_possible: true }).retry).toBe("now");
});

test("a payment that has not failed is never retried without a look", () => {
  expect(explainFailure({ status: "completed" }).retry).toBe("no");
  expect(explainFailure({ status: "pending" }).retry).toBe("look_first");
});

test.each(["cancelled", "insufficientBalance", "wrongPin", "unreachable"] as const)(
  "a failed payment of the sandbox is explained: %s",
  async (name) => {
    const { baseUrl, fetch, keys, clock } = createSandbox();
    const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch });
    const phone = `0712345${MAGIC_SUFFIXES[name]}`;
    const { reference } = await gateway.mobileMoney.initiate({ amount: 10, phone });
    await clock.advance("2m");
    const payment = await gateway.payments.get(reference);
    const explained = explainFailure(payment);
    expect(RESULT_CODES).toHaveProperty(String(explained.code));
    expect(explained.customerMessage).toBe(payment.user_message);
  },
);
