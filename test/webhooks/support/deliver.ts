import { signWebhook, type WebhookReceiver } from "malipo/webhooks";
import { EVENT, SECRET } from "../../suites/webhook-sample.ts";

/** Delivers a signed event to a receiver; returns the status of the response. */
export async function deliver(
  receiver: WebhookReceiver,
  kind: string = EVENT.event,
  reference = "PAY-71",
): Promise<number> {
  const body = JSON.stringify({ event: kind, data: { reference } });
  const headers = { "x-service-signature": signWebhook(body, SECRET) };
  return (await receiver.handle({ method: "POST", headers, body })).status;
}

/** A promise, and the function that resolves it. */
export function gate<Value = void>(): {
  readonly opened: Promise<Value>;
  readonly open: (value: Value) => void;
} {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
