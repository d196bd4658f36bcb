import {
  createWebhookReceiver,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from "malipo/webhooks";
import { afterEach, beforeEach, vi } from "vitest";
import { SECRET } from "../../suites/webhook-sample.ts";

/** Creates the receiver of a test and stops it after the test. A failed attempt is retried at once. */
export function receiving() {
  let receiver: WebhookReceiver | undefined;
  const onError = vi.fn();
  beforeEach(() => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    onError.mockReset();
  });
  afterEach(async () => {
    await receiver?.stop({ timeoutMs: 0 });
    vi.restoreAllMocks();
  });
  const receive = (options: Partial<WebhookReceiverOptions> = {}): WebhookReceiver => {
    receiver = createWebhookReceiver({ secret: SECRET, onError, ...options });
    return receiver;
  };
  return { receive, onError };
}
