// Webhooks on Cloudflare Workers: verified, put into a Queue, acknowledged once it has them. A Worker
// ends with its answer, so what is in the Queue is worked off by its consumer, here the same Worker.
import { fetchHandler } from "malipo/fetch";
import {
  createWebhookReceiver,
  type Inbox,
  isKnownEvent,
  receiptFor,
  type WebhookEvent,
} from "malipo/webhooks";

interface Message {
  /** The same for every repeat of an event: a Queue delivers at least once, and the service repeats. */
  key: string;
  body: string;
}

interface Env {
  WEBHOOK_SECRET: string;
  /** `[[queues.producers]]` in wrangler.toml. */
  WEBHOOKS: { send(message: Message): Promise<unknown> };
}

const elsewhere = async (): Promise<never> => {
  throw new Error("The Queue works off, tries again and keeps dead letters.");
};

const queueInbox = (queue: Env["WEBHOOKS"]): Inbox => ({
  accept: async ({ key, raw }) => {
    await queue.send({ key, body: new TextDecoder().decode(raw) });
    return receiptFor("accepted"); // it is durable by now
  },
  start: elsewhere,
  stop: async () => {},
  deadLetters: elsewhere,
  requeue: elsewhere,
});

export default {
  fetch(request: Request, { WEBHOOK_SECRET: secret, WEBHOOKS }: Env): Promise<Response> {
    const inbox = queueInbox(WEBHOOKS);
    // A message of a Queue holds 128 kB, and this one is escaped.
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
