import { createWebhookReceiver, verifyWebhook } from "malipo/webhooks";
import { expect, test, vi } from "vitest";
import { isSignedBy } from "../../../src/internal/hmac/node-hmac.ts";
import { BODY, HEX, SECRET } from "../../suites/webhook-sample.ts";

// A spy on the real function: the time taken must not tell which secret signed, or whether one did.
vi.mock(import("../../../src/internal/hmac/node-hmac.ts"), { spy: true });

test.each([
  ["the first", [SECRET, "b", "c"], HEX],
  ["the last", ["a", "b", SECRET], HEX],
  ["all of them", [SECRET, SECRET, SECRET], HEX],
  ["none", ["a", "b", "c"], HEX],
  [
    "none, and the first digit differs",
    [SECRET, "b", "c"],
    `${HEX[0] === "0" ? 1 : 0}${HEX.slice(1)}`,
  ],
])("tries every secret, whichever signed: %s", async (_, secret, signature) => {
  vi.mocked(isSignedBy).mockClear();
  try {
    verifyWebhook({ body: BODY, secret, signature });
  } catch {
    // Rejected: this test is not about that.
  }
  const tried = () => vi.mocked(isSignedBy).mock.calls.map(([one]) => one);
  expect(tried()).toEqual(secret);
  const receiver = createWebhookReceiver({ secret, onError() {} });
  const headers = { "X-Service-Signature": signature };
  await receiver.handle({ method: "POST", headers, body: BODY });
  expect(tried()).toEqual([...secret, ...secret]);
});
