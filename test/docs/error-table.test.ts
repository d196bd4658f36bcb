import { globSync, readFileSync } from "node:fs";
import type { GatewayErrorCode } from "malipo";
import { expect, test } from "vitest";

/** The class of each code, as the manual writes it. A code that is missing here does not compile. */
const CLASSES: Readonly<Record<GatewayErrorCode, string>> = {
  configuration: "ConfigurationError",
  key_type: "KeyTypeError",
  invalid_params: "InvalidParamsError",
  api: "ApiError",
  authentication: "ApiError",
  permission: "ApiError",
  not_found: "ApiError",
  conflict: "ApiError",
  invalid_request: "ApiError",
  rate_limit: "ApiError",
  server: "ApiError",
  connection: "ConnectionError",
  timeout: "TimeoutError",
  unexpected_response: "UnexpectedResponseError",
  payment_pending: "PaymentPendingError",
  outcome_unknown: "OutcomeUnknownError",
  attempt_in_flight: "AttemptInFlightError",
  idempotency_conflict: "IdempotencyConflictError",
  order_conflict: "OrderConflictError",
  signature_missing: "WebhookVerificationError",
  signature_malformed: "WebhookVerificationError",
  signature_mismatch: "WebhookVerificationError",
  timestamp_out_of_range: "WebhookVerificationError",
  payload_invalid: "WebhookVerificationError",
  body_not_raw: "WebhookVerificationError",
};

const HEADER = "| class | `code` | when | `key` |\n";

/** The rows of the table, whichever page of the manual has it. */
function rows(): string[][] {
  const pages = globSync("docs/**/*.md").map((path) => readFileSync(path, "utf8"));
  const [page = "", ...others] = pages.filter((text) => text.includes(HEADER));
  expect(others).toEqual([]);
  const [table = ""] = page.split(HEADER)[1]?.split("\n\n") ?? [];
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}

test("the table of errors has every class with its codes, and what is known of the key", () => {
  const codes = rows().flatMap(([, name = "", cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => [code, /`(\w+)`/.exec(name)?.[1]]),
  );
  expect(Object.fromEntries(codes)).toEqual(CLASSES);
  expect(codes).toHaveLength(Object.keys(CLASSES).length);
  // A delivery has no idempotency key.
  for (const [, name = "", , , key] of rows()) {
    expect(key === "", name).toBe(name.includes("WebhookVerification"));
  }
});
