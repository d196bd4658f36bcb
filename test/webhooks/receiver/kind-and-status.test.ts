import { signWebhook } from "malipo/webhooks";
import { expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { SECRET } from "../../suites/webhook-sample.ts";
import { receiving } from "../support/receiving.ts";

const { receive, onError } = receiving();

/** A receiver that has started, what its handler got, and how to deliver an event to it. */
async function started() {
  const receiver = receive({ inbox: memoryInbox() });
  const handled = vi.fn();
  receiver.onOther((event, { idempotencyKey }) => handled(event.event, event.data, idempotencyKey));
  await receiver.start();
  const deliver = async (event: string, data: object) => {
    const body = JSON.stringify({ event, timestamp: new Date().toISOString(), data });
    const headers = { "x-service-signature": signWebhook(body, SECRET) };
    const { status } = await receiver.handle({ method: "POST", headers, body });
    expect(status).toBe(200);
  };
  return { receiver, handled, deliver };
}

test.each([
  ["payment.completed", "failed"],
  ["payment.completed", "pending"],
  ["payment.failed", "completed"],
  ["payment.failed", "pending"],
])("%s with the status %j is a dead letter at once, with the reason", async (event, status) => {
  const { receiver, handled, deliver } = await started();
  await deliver(event, { reference: "PAY-1", amount: "100.00", status });
  await deliver("payment.completed", { reference: "PAY-2", amount: "1.00", status: "completed" });
  await expect.poll(() => handled.mock.calls.length).toBe(1);
  expect(handled.mock.calls[0]?.[1].reference).toBe("PAY-2");
  const reason = `The kind of the event is ${event}, and the status in its data is ${status}`;
  expect(await receiver.deadLetters.list()).toMatchObject([
    { event, attempts: 0, error: expect.stringContaining(reason) },
  ]);
  expect(onError.mock.calls.map(([error]) => error.message)).toEqual([
    expect.stringContaining(reason),
  ]);
});

test("an event whose kind and status disagree does not keep the true event from being processed", async () => {
  const { receiver, handled, deliver } = await started();
  await deliver("payment.completed", { reference: "PAY-1", amount: "100.00", status: "failed" });
  await deliver("payment.completed", { reference: "PAY-1", amount: "100.00", status: "completed" });
  await expect.poll(() => handled.mock.calls.length).toBe(1);
  expect(handled.mock.calls[0]?.[1].status).toBe("completed");
  await deliver("payment.completed", { reference: "PAY-1", amount: "100.00", status: "failed" });
  expect(await receiver.deadLetters.list()).toHaveLength(1);
  expect(await receiver.conflicts.list()).toEqual([]);
});

test.each([
  ["payment.completed", "cleared"],
  ["payment.completed", undefined],
  ["payment.completed", 1],
  ["payment.failed", "expired"],
  ["payment.initiated", "completed"],
  ["payment.reversed", "completed"],
  ["invoice.paid", "failed"],
])("%s with the status %j is processed", async (event, status) => {
  const { receiver, handled, deliver } = await started();
  await deliver(event, { reference: "PAY-1", amount: "100.00", status });
  await expect.poll(() => handled.mock.calls.length).toBe(1);
  expect(await receiver.deadLetters.list()).toEqual([]);
});
