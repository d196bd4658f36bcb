// Webhooks on Cloudflare Workers: verified, put into a Queue, then acknowledged. A Worker ends with
// its response, so the consumer of the Queue processes the events; here it is the same Worker.
import { fetchHandler } from "malipo/fetch";
import {
  createWebhookReceiver,
  type Inbox,
  isKnownEvent,
  receiptFor,
  type WebhookEvent,
} from "malipo/webhooks";

interface Message {
  /** The same for every duplicate of an event: the service and the Queue deliver at least once. */
  key: string;
  body: string;
}

interface Env {
  MALIPO_WEBHOOK_SECRET: string;
  /** `[[queues.producers]]` in wrangler.toml. */
  WEBHOOKS: { send(message: Message): Promise<unknown> };
}

const queueInbox = (queue: Env["WEBHOOKS"]): Inbox => ({
  accept: async ({ key, raw }) => {
    const message = { key, body: new TextDecoder().decode(raw) };
    await queue.send(message);
    return receiptFor("accepted"); // the Queue has stored it
  },
  start: async () => {
    throw new Error("The Queue processes events, retries them and keeps dead letters.");
  },
  stop: async () => {},
});

export default {
  fetch(request: Request, { MALIPO_WEBHOOK_SECRET: secret, WEBHOOKS }: Env): Promise<Response> {
    const inbox = queueInbox(WEBHOOKS);
    // A message of a Queue may have 128 kB, and escaping makes this one longer.
    const receiver = createWebhookReceiver({ secret, inbox, maxBodyBytes: 60_000 });
    return fetchHandler(receiver)(request);
  },

  async queue({ messages }: { messages: readonly { body: Message }[] }): Promise<void> {
    for (const { key, body } of messages.map((message) => message.body)) {
      const event: WebhookEvent = JSON.parse(body); // verified before it was stored
      if (isKnownEvent(event, "payment.completed")) {
        console.log(`ship ${event.data.account_reference}`, key); // once for a key
      }
    }
  },
};
