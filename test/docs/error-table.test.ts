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
  order_busy: "OrderBusyError",
  order_conflict: "OrderConflictError",
  order_paid: "OrderPaidError",
  review_decided: "ReviewDecidedError",
  signature_missing: "WebhookVerificationError",
  signature_malformed: "WebhookVerificationError",
  signature_mismatch: "WebhookVerificationError",
  timestamp_out_of_range: "WebhookVerificationError",
  payload_invalid: "WebhookVerificationError",
  body_not_raw: "WebhookVerificationError",
};

const HEADER = "# Error classes and codes\n";

interface Row {
  readonly name: string;
  readonly codes: readonly string[];
  readonly hasKey: boolean;
}

/** The items of the list, whichever page of the manual has it: `- \`Class\`, \`code\`, \`code\` 404: when it comes`. */
function rows(): Row[] {
  const pages = globSync("docs/**/*.md").map((path) => readFileSync(path, "utf8"));
  const [page = "", ...others] = pages.filter((text) => text.startsWith(HEADER));
  expect(others).toEqual([]);
  const [, list = ""] = page.split("\n\n- `ConfigurationError`");
  return `- \`ConfigurationError\`${list.split("\n\n")[0]}`.split("\n").map((line) => {
    const [names = ""] = line.split(": ");
    const [name = "", ...codes] = [...names.matchAll(/`(\w+)`/g)].map(([, one = ""]) => one);
    return { name, codes, hasKey: line.includes(" Key: ") };
  });
}

test("the list of errors has every class with its codes, and what is known of the key", () => {
  const found = rows().flatMap(({ name, codes }) => codes.map((code) => [code, name] as const));
  expect(Object.fromEntries(found)).toEqual(CLASSES);
  expect(found).toHaveLength(Object.keys(CLASSES).length);
  // A delivery has no idempotency key.
  for (const { name, hasKey } of rows()) {
    expect(hasKey, name).toBe(!name.includes("WebhookVerification"));
  }
});
