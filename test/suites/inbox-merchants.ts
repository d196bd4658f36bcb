import { createWebhookReceiver, signWebhook, type WebhookReceiver } from "malipo/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deliveryOf, SECRET } from "../stress/inboxes/sender.ts";
import { gateOf, type InboxUnderTest, references, until } from "./inbox-stage.ts";

/** How an inbox divides the places of a process among the merchants of a platform. */
export function merchantSuite(name: string, { fresh }: InboxUnderTest): void {
  describe(`${name}: many merchants`, () => {
    const receivers: WebhookReceiver[] = [];
    afterEach(async () => {
      for (const receiver of receivers.splice(0)) await receiver.stop({ timeoutMs: 100 });
    });

    /** A receiver whose merchants are the paths of the requests. Handlers of `SLOW-` wait for the gate. */
    async function platform() {
      const [gate, open] = gateOf<void>();
      const receiver = createWebhookReceiver({
        secret: (merchant) => `${SECRET} ${merchant}`,
        merchant: ({ url }) => url.pathname.slice(1),
        inbox: (await fresh()).open(),
        concurrency: 8,
        handlerTimeoutMs: 600_000,
        onError: () => {},
      });
      receivers.push(receiver);
      const running = new Map<string, number>();
      const most = new Map<string, number>();
      const done = vi.fn();
      receiver.on("payment.completed", async ({ data }, { merchant = "", attempt }) => {
        const now = (running.get(merchant) ?? 0) + 1;
        running.set(merchant, now);
        most.set(merchant, Math.max(most.get(merchant) ?? 0, now));
        if (merchant.startsWith("slow")) await gate;
        running.set(merchant, (running.get(merchant) ?? 0) - 1);
        done(merchant, data.reference, attempt);
      });
      const post = async (merchant: string, reference: string) => {
        const { body } = deliveryOf(reference);
        const headers = { "x-service-signature": signWebhook(body, `${SECRET} ${merchant}`) };
        const url = `/${merchant}`;
        const { status } = await receiver.handle({ method: "POST", url, headers, body });
        expect(status).toBe(200);
      };
      const doneBy = (merchant: string) => done.mock.calls.filter(([of]) => of === merchant);
      return { receiver, open, running, most, post, doneBy };
    }

    test("events of one merchant whose handlers hang leave places for every other merchant", async () => {
      const { receiver, open, running, most, post, doneBy } = await platform();
      for (const reference of references(40)) await post("slow", reference);
      await receiver.start();
      await until(() => running.get("slow") === 4);
      await post("other", "PAY-1");
      await until(() => doneBy("other").length === 1);
      for (const reference of references(20)) await post("third", reference);
      await until(() => doneBy("third").length === 20);
      expect(doneBy("slow")).toEqual([]);
      open();
      await until(() => doneBy("slow").length === 40);
      // Waiting for a place uses up no attempt.
      expect(doneBy("slow").map(([, , attempt]) => attempt)).toEqual(Array(40).fill(1));
      expect(most.get("slow")).toBe(4);
    });

    test("a burst of one merchant is processed without a wait for the next poll", async () => {
      const { receiver, post, doneBy } = await platform();
      // With a wait for each few of them, these would take more than a minute.
      await Promise.all(references(1_000).map((reference) => post("fast", reference)));
      await receiver.start();
      await until(() => doneBy("fast").length === 1_000);
    });

    test("two merchants whose handlers hang leave places for a third one", async () => {
      const { receiver, open, running, post, doneBy } = await platform();
      await receiver.start();
      for (const reference of references(20)) {
        await post("slow-1", reference);
        await post("slow-2", reference);
      }
      await until(() => (running.get("slow-1") ?? 0) + (running.get("slow-2") ?? 0) >= 5);
      await post("other", "PAY-1");
      await until(() => doneBy("other").length === 1);
      open();
      await until(() => doneBy("slow-1").length + doneBy("slow-2").length === 40);
    });
  });
}
