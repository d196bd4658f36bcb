import { signWebhook, type WebhookEvent } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { SECRET } from "../../suites/webhook-sample.ts";
import { receiving } from "../support/receiving.ts";

const { receive, onError } = receiving();

type Payment = Readonly<Record<string, unknown>>;

const PAID = {
  payment_id: 71,
  reference: "PAY-1",
  amount: "100.00",
  currency: "KES",
  account_reference: "ORDER-17",
  status: "completed",
};
const FAILED = { payment_id: 71, reference: "PAY-1", amount: "100.00", status: "failed" };

/** A receiver whose sweeps read these payments, with what its handler got. */
async function sweeping(payments: Readonly<Record<string, Payment>>, options: object = {}) {
  const get = vi.fn(async (reference: string) => {
    const payment = payments[reference];
    if (payment === undefined) throw new Error(`There is no payment ${reference}.`);
    return payment;
  });
  const got: [event: WebhookEvent, source: string][] = [];
  const receiver = receive({ payments: { get }, ...options });
  receiver.onOther((event, { source }) => got.push([event, source]));
  await receiver.start();
  const deliver = async (event: string, data: Payment) => {
    const body = JSON.stringify({ event, timestamp: new Date().toISOString(), data });
    const headers = { "x-service-signature": signWebhook(body, SECRET) };
    return JSON.parse((await receiver.handle({ method: "POST", headers, body })).body).ResultDesc;
  };
  return { receiver, get, got, deliver };
}

const NONE = { accepted: 0, duplicate: 0, conflict: 0, pending: 0, failed: 0 };

describe("sweep", () => {
  test("has the webhooks that never came processed by the same handler", async () => {
    const { receiver, got } = await sweeping({
      "PAY-1": PAID,
      "PAY-2": { ...FAILED, reference: "PAY-2" },
      "PAY-3": { status: "pending" },
      "PAY-4": { status: "reversed" },
    });
    const references = ["PAY-1", "PAY-2", "PAY-3", "PAY-4"];
    expect(await receiver.sweep(references)).toEqual({ ...NONE, accepted: 2, pending: 2 });
    await expect.poll(() => got.length).toBe(2);
    expect(got.map(([{ event, data }, source]) => [event, data.reference, source]).sort()).toEqual([
      ["payment.completed", "PAY-1", "read"],
      ["payment.failed", "PAY-2", "read"],
    ]);
    expect(await receiver.sweep(references)).toEqual({ ...NONE, duplicate: 2, pending: 2 });
    expect(onError).not.toHaveBeenCalled();
  });

  test.each<[what: string, webhook: Payment, read: Payment]>([
    ["a completed payment", { ...PAID, payer_name: "A. Otieno" }, { ...PAID, amount: 100 }],
    ["a read without its reference", PAID, { ...PAID, reference: undefined }],
    ["a failed payment", FAILED, { ...FAILED, currency: "KES", account_reference: "ORDER-17" }],
  ])("and a webhook are one event, whichever comes first: %s", async (_, webhook, read) => {
    const kind = `payment.${webhook.status}`;
    const first = await sweeping({ "PAY-1": read });
    expect(await first.deliver(kind, webhook)).toBe("received");
    expect(await first.receiver.sweep(["PAY-1"])).toEqual({ ...NONE, duplicate: 1 });
    await expect.poll(() => first.got.map(([, source]) => source)).toEqual(["webhook"]);
    const second = await sweeping({ "PAY-1": read });
    expect(await second.receiver.sweep(["PAY-1"])).toEqual({ ...NONE, accepted: 1 });
    expect(await second.deliver(kind, webhook)).toBe("received before");
    await expect.poll(() => second.got.map(([, source]) => source)).toEqual(["read"]);
    expect(onError).not.toHaveBeenCalled();
  });

  test("finds a conflict if the read has another amount", async () => {
    const onConflict = vi.fn();
    const { receiver, deliver } = await sweeping(
      { "PAY-1": { ...PAID, amount: "999.00" } },
      { onConflict },
    );
    await deliver("payment.completed", PAID);
    expect(await receiver.sweep(["PAY-1"])).toEqual({ ...NONE, conflict: 1 });
    expect(onConflict).toHaveBeenCalledTimes(1);
    expect(await receiver.conflicts.list()).toHaveLength(1);
  });

  test("goes on after a read that fails, or that cannot be compared with a webhook", async () => {
    const { receiver, got } = await sweeping({
      "PAY-1": PAID,
      "PAY-2": { status: "completed", amount: "1.00" },
      "PAY-3": { ...PAID, reference: "PAY-9" },
    });
    const counts = await receiver.sweep(["PAY-0", "PAY-2", "PAY-3", "PAY-1"]);
    expect(counts).toEqual({ ...NONE, accepted: 1, failed: 3 });
    await expect.poll(() => got.length).toBe(1);
    expect(onError.mock.calls.map(([error]) => error.message).sort()).toEqual([
      expect.stringMatching(/^The read of the payment "PAY-2" has no `currency`/),
      expect.stringMatching(/^The read of the payment "PAY-3" returned another one, "PAY-9"/),
      "There is no payment PAY-0.",
    ]);
  });

  test("takes any iterable, and reads eight at a time", async () => {
    let open = 0;
    let most = 0;
    const get = async (reference: string) => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
      return { ...PAID, reference };
    };
    const receiver = receive({ payments: { get }, ignore: ["payment.completed"] });
    async function* references() {
      for (let at = 0; at < 100; at++) yield `PAY-${at}`;
    }
    expect(await receiver.sweep(references())).toEqual({ ...NONE, accepted: 100 });
    expect(await receiver.sweep(new Set(["PAY-1"]))).toEqual({ ...NONE, duplicate: 1 });
    expect(most).toBe(8);
    await expect(receiver.sweep("PAY-1" as never)).rejects.toThrow(
      /takes an iterable.*got a string/,
    );
  });

  test("of a merchant reads that merchant's payments", async () => {
    const { got, receiver } = await sweeping(
      {},
      {
        merchant: () => "wanjiku",
        secret: () => SECRET,
        payments: (merchant: string) =>
          merchant === "wanjiku" ? { get: async () => PAID } : undefined,
      },
    );
    expect(await receiver.sweep(["PAY-1"], { merchant: "wanjiku" })).toMatchObject({ accepted: 1 });
    await expect.poll(() => got.length).toBe(1);
    await expect(receiver.sweep(["PAY-1"], { merchant: "otieno" })).rejects.toThrow(
      /reads payments/,
    );
    await expect(receiver.sweep(["PAY-1"])).rejects.toThrow(/reads payments/);
  });

  test("needs `payments`, and ends when the receiver stops", async () => {
    await expect(receive().sweep([])).rejects.toThrow(/pass `payments: gateway\.payments`/);
    expect(() => receive({ payments: {} as never })).toThrow(/`payments` must be the `payments`/);
    const receiver = receive({ payments: { get: () => new Promise(() => {}) } });
    const sweep = receiver.sweep(["PAY-1"]);
    await receiver.stop();
    await expect(sweep).rejects.toThrow("The receiver was stopped.");
  });

  test("is not too old by a clock of this machine that is wrong", async () => {
    const now = Date.now();
    const horizon = async () => ({ now, remembersSince: now - 14 * 86_400_000 });
    const accept = vi.fn(memoryInbox().accept);
    const { receiver } = await sweeping(
      { "PAY-1": PAID },
      { inbox: { ...memoryInbox(), accept, horizon } },
    );
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(now - 30 * 86_400_000);
    await receiver.sweep(["PAY-1"]);
    vi.useRealTimers();
    const [delivery] = accept.mock.calls[0] ?? [];
    expect(delivery?.deadLetterReason).toBe(undefined);
    expect(Math.abs((delivery?.signedAt ?? 0) - now)).toBeLessThan(10_000);
    expect(delivery?.signature).toBe(undefined);
  });
});
