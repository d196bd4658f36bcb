import type { WebhookRequest } from "malipo/types";
import { createWebhookReceiver } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { testAdapter } from "../../suites/webhook-adapter-suite.ts";
import { CALL_CASES } from "../../suites/webhook-call-cases.ts";
import { PATH } from "../../suites/webhook-mount.ts";

testAdapter({
  name: "receiver.handle",
  isCalledWith: "any headers",
  mount: (receiver) => ({
    deliver: ({ method = "POST", headers = {}, body = new Uint8Array() }) =>
      receiver.handle({ method, headers, url: PATH, body }),
  }),
});

describe("receiver.handle, called with values that cannot come over a wire,", () => {
  // A receiver has no options for a request, takes the signature only from the headers, and reads streams.
  const rows = CALL_CASES.filter(
    ({ name }) => !/^option|^signature: .* beside|a stream/.test(name),
  );

  test.each(rows)("responds to and reports $name: $expected", async ({ options, expected }) => {
    const { secret, body, ...given } = options();
    const { headers = { "X-Service-Signature": given.signature } } = given;
    const onError = vi.fn();
    const receiver = createWebhookReceiver({ secret: secret as string, onError });
    const request = { method: "POST", headers, body } as WebhookRequest;
    const { status } = await receiver.handle(request);
    if (expected === "accepted") {
      expect([status, onError.mock.calls]).toEqual([200, []]);
    } else {
      expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: expected, status })]]);
    }
  });
});
