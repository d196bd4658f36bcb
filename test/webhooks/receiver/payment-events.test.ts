import type { DoublePayment, Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";
import type { DoublePaymentList } from "malipo/types";
import { createWebhookReceiver, type Inbox, signWebhook } from "malipo/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { gatewayOn } from "../../client/support/gateway.ts";
import { SECRET } from "../../suites/webhook-sample.ts";
import { receiving } from "../support/receiving.ts";

const { receive, onError } = receiving();

const ORDER = { amount: 100, phone: "0712345678", account_reference: "ORDER-42" };
const PAID = {
  reference: "PAY-1",
  amount: "100.00",
  phone: "254712345678",
  account_reference: "ORDER-42",
  status: "completed",
  transaction_id: "TX-1",
};

type Receiver = ReturnType<typeof receive>;

async function deliver(receiver: Receiver, event: string, data: object): Promise<void> {
  const body = JSON.stringify({ event, timestamp: "2026-01-31T09:00:00Z", data });
  const headers = { "x-service-signature": signWebhook(body, SECRET) };
  const { status } = await receiver.handle({ method: "POST", headers, body });
  expect(status).toBe(200);
}

/** A gateway whose prompts are lost, and whose reads find `PAID`. */
function createShop() {
  const reads: string[] = [];
  const gateway = gatewayOn(
    async (url, { method }) => {
      if (method === "POST") throw new TypeError("reset");
      reads.push(url.slice(url.lastIndexOf("/") + 1));
      return Response.json({ success: true, data: PAID });
    },
    { idempotency: memoryIdempotency() },
  );
  const pay = (idempotencyKey: string, order: object = ORDER) =>
    gateway.mobileMoney.initiate(order as typeof ORDER, { idempotencyKey }).catch(() => undefined);
  const unknown = async () => (await gateway.idempotency.list({ state: "unknown" })).items.length;
  return { gateway, reads, pay, unknown };
}

const startReceiver = async (gateway: Gateway, options = {}) => {
  const receiver = receive({ attempts: gateway.idempotency, ...options });
  receiver.onOther(() => {});
  await receiver.start();
  return receiver;
};

describe("with `attempts`, a receiver", () => {
  test("resolves the one attempt that an event's payment matches", async () => {
    const { gateway, reads, pay, unknown } = createShop();
    await pay("ORDER-42/1");
    const receiver = await startReceiver(gateway);
    await deliver(receiver, "payment.completed", PAID);
    await expect.poll(unknown).toBe(0);
    expect(await pay("ORDER-42/1")).toEqual({ reference: "PAY-1" });
    expect(reads).toEqual([]);
  });

  test("reads a payment whose event does not say enough", async () => {
    const { gateway, reads, pay, unknown } = createShop();
    await pay("ORDER-42/1");
    const receiver = await startReceiver(gateway);
    const failed = { payment_id: 1, reference: "PAY-1", amount: "100.00", status: "failed" };
    await deliver(receiver, "payment.failed", failed);
    await expect.poll(unknown).toBe(0);
    expect(reads).toEqual(["PAY-1"]);
  });

  test.each([
    ["of another amount", { amount: "101.00" }],
    ["of another order", { account_reference: "ORDER-43" }],
    ["of another customer", { phone: "254712345679" }],
  ])("resolves nothing by a payment %s", async (_, fields) => {
    const { gateway, pay, unknown } = createShop();
    await pay("ORDER-42/1");
    expect(await gateway.idempotency.resolveByPayment({ ...PAID, ...fields })).toBe(false);
    expect(await unknown()).toBe(1);
  });

  test("resolves nothing if two attempts may have made the payment", async () => {
    const { gateway, pay, unknown } = createShop();
    await pay("ORDER-42/1");
    await pay("ORDER-42/2");
    expect(await gateway.idempotency.resolveByPayment(PAID)).toBe(false);
    expect(await unknown()).toBe(2);
  });

  test("resolves no second attempt by the payment of the first", async () => {
    const { gateway, pay, unknown } = createShop();
    await pay("ORDER-42/1");
    expect(await gateway.idempotency.resolveByPayment(PAID)).toBe(true);
    await pay("ORDER-42/2");
    expect(await gateway.idempotency.resolveByPayment(PAID)).toBe(false);
    expect(await unknown()).toBe(1);
  });

  test("handles an event although the store fails, and reports the failure", async () => {
    const down = new Error("the disk is full");
    const handled = vi.fn();
    const attempts = { resolveByPayment: () => Promise.reject(down) };
    const receiver = receive({ attempts });
    receiver.on("payment.completed", handled);
    await receiver.start();
    await deliver(receiver, "payment.completed", PAID);
    await expect.poll(() => handled.mock.calls.length).toBe(1);
    expect(onError.mock.calls).toEqual([[down]]);
  });

  test("works with the sandbox: a prompt whose response was lost has its payment in the end", async () => {
    const sandbox = createSandbox();
    const gateway = gatewayOn(sandbox.fetch, {
      apiKey: sandbox.keys.secret,
      baseUrl: sandbox.baseUrl,
    });
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "lostResponse" } });
    const call = () => gateway.mobileMoney.initiate(ORDER, { idempotencyKey: "ORDER-42/1" });
    await call().catch(() => {});
    const payment = sandbox.phone(ORDER.phone).approve();
    const receiver = await startReceiver(gateway);
    await deliver(receiver, "payment.completed", { ...payment });
    await expect
      .poll(() =>
        call().then(
          ({ reference }) => reference,
          () => "",
        ),
      )
      .toBe(payment.reference);
  });
});

describe("a payment event of a kind that this process does not handle", () => {
  test("is used by the process that handles it", async () => {
    const { gateway, pay, unknown } = createShop();
    await pay("ORDER-42/1");
    const inbox = memoryInbox();
    const old = receive({ inbox, attempts: gateway.idempotency, onUnhandled() {} });
    old.on("payment.failed", () => {});
    await old.start();
    await deliver(old, "payment.completed", PAID);
    expect(await old.stats()).toMatchObject({ waiting: 1, unhandled: 1 });
    expect(await unknown()).toBe(1);
    await old.stop();
    const handled = vi.fn();
    const next = receive({ inbox, attempts: gateway.idempotency });
    next.on("payment.completed", handled);
    await next.start();
    await expect.poll(() => handled.mock.calls.length).toBe(1);
    await expect.poll(unknown).toBe(0);
    expect(onError).not.toHaveBeenCalled();
  });

  test("is used as a part of the processing if the kind is ignored", async () => {
    const { gateway, pay, unknown } = createShop();
    await pay("ORDER-42/1");
    const created = receive({ attempts: gateway.idempotency, ignore: ["payment.completed"] });
    await deliver(created, "payment.completed", PAID);
    await new Promise(setImmediate);
    expect(await unknown()).toBe(1);
    await created.start();
    await expect.poll(unknown).toBe(0);
    await expect.poll(async () => (await created.stats()).waiting).toBe(0);
  });
});

/** The double payments of another inbox, as two processes share them. */
const doublesOf = ({ doublePayments }: Inbox) => ({ doublePayments });

describe("onDoublePayment", () => {
  const doubles: DoublePayment[] = [];
  const onDoublePayment = (double: DoublePayment) => void doubles.push(double);
  afterEach(() => {
    doubles.length = 0;
  });
  const receiver = async (options = {}) => {
    const created = receive({ onDoublePayment, ...options });
    created.onOther(() => {});
    await created.start();
    return created;
  };

  test("is called with two completed payments of one account reference", async () => {
    const created = await receiver();
    await deliver(created, "payment.completed", PAID);
    await deliver(created, "payment.completed", {
      ...PAID,
      reference: "PAY-2",
      transaction_id: "TX-2",
    });
    await expect
      .poll(() => doubles)
      .toEqual([{ by: "account_reference", value: "ORDER-42", references: ["PAY-1", "PAY-2"] }]);
  });

  test("is called once for a pair, whatever both have in common, in every process", async () => {
    const inbox = memoryInbox();
    const created = await receiver({ inbox });
    await deliver(created, "payment.completed", PAID);
    await deliver(created, "payment.completed", { ...PAID, reference: "PAY-2" });
    await expect.poll(() => doubles.length).toBe(1);
    await created.stop();
    const handled = vi.fn();
    const next = receive({ onDoublePayment, inbox: { ...memoryInbox(), ...doublesOf(inbox) } });
    next.onOther(handled);
    await next.start();
    for (const reference of ["PAY-2", "PAY-1", "PAY-3"]) {
      await deliver(next, "payment.completed", { ...PAID, reference, transaction_id: undefined });
    }
    await expect.poll(() => handled.mock.calls.length).toBe(3);
    await expect
      .poll(() => doubles.map(({ references }) => references))
      .toEqual([
        ["PAY-1", "PAY-2"],
        ["PAY-2", "PAY-3"],
      ]);
    const page = await next.doublePayments.list();
    expect(page.map(({ references }) => references)).toEqual([
      ["PAY-1", "PAY-2"],
      ["PAY-2", "PAY-3"],
    ]);
    await next.doublePayments.drop(page.map(({ id }) => id));
    expect(await next.doublePayments.list()).toEqual([]);
  });

  test("is called although the pair cannot be stored, and the pair is stored without it", async () => {
    const down = new Error("disk I/O error");
    const add = vi.fn(() => Promise.reject<never>(down));
    const inbox = memoryInbox();
    const list = { ...(inbox.doublePayments as DoublePaymentList), add };
    const created = await receiver({ inbox: { ...inbox, doublePayments: list } });
    for (const reference of ["PAY-1", "PAY-2"]) {
      await deliver(created, "payment.completed", { ...PAID, reference });
    }
    await expect.poll(() => doubles.length).toBe(1);
    expect(onError.mock.calls).toEqual([[down]]);
    const silent = receive();
    silent.onOther(() => {});
    await silent.start();
    for (const reference of ["PAY-1", "PAY-2"]) {
      await deliver(silent, "payment.completed", { ...PAID, reference });
    }
    await expect.poll(() => silent.doublePayments.list()).toMatchObject([{ value: "ORDER-42" }]);
  });

  test("is called 20 times for one value, however many payments have it: then onError is, once", async () => {
    const inbox = memoryInbox();
    const list = inbox.doublePayments as DoublePaymentList;
    const add = vi.fn(list.add);
    const handled = vi.fn();
    const created = receive({
      onDoublePayment,
      inbox: { ...inbox, doublePayments: { ...list, add } },
    });
    created.onOther(handled);
    await created.start();
    for (let at = 0; at <= 100; at++) {
      const payment = { ...PAID, reference: `PAY-${at}`, account_reference: `ORDER-${at}` };
      await deliver(created, "payment.completed", payment);
    }
    await expect.poll(() => handled.mock.calls.length).toBe(101);
    expect(doubles).toHaveLength(20);
    expect(add).toHaveBeenCalledTimes(20);
    expect(await created.doublePayments.list()).toHaveLength(20);
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual([
      expect.stringMatching(/^More than 20 payments have the transaction_id "TX-1": /),
    ]);
    // Other values are counted apart.
    for (const other of ["A", "B"]) {
      const payment = { reference: `PAY-${other}`, account_reference: `ORDER-${other}` };
      await deliver(created, "payment.completed", { ...PAID, ...payment, transaction_id: "TX-2" });
    }
    await expect.poll(() => doubles.length).toBe(21);
  });

  test("needs an inbox that lists double payments", async () => {
    const created = receive({ inbox: { ...memoryInbox(), doublePayments: undefined } });
    await expect(created.doublePayments.list()).rejects.toThrow(/cannot list double payments/);
  });

  test("is called with one transaction on two payments", async () => {
    const created = await receiver();
    await deliver(created, "payment.completed", PAID);
    const other = { ...PAID, reference: "PAY-2", account_reference: "ORDER-43" };
    await deliver(created, "payment.completed", other);
    await expect
      .poll(() => doubles)
      .toEqual([{ by: "transaction_id", value: "TX-1", references: ["PAY-1", "PAY-2"] }]);
  });

  test("is not called for a payment that failed, nor for one payment twice", async () => {
    const handled = vi.fn();
    const created = receive({ onDoublePayment });
    created.onOther(handled);
    await created.start();
    await deliver(created, "payment.completed", PAID);
    await deliver(created, "payment.failed", { ...PAID, reference: "PAY-2", status: "failed" });
    await deliver(created, "payment.initiated", PAID);
    await expect.poll(() => handled.mock.calls.length).toBe(3);
    expect(doubles).toEqual([]);
  });

  test("is called with a payment of another key that only the idempotency store remembers", async () => {
    const { gateway, pay } = createShop();
    await pay("ORDER-42/1");
    await gateway.idempotency.resolve("ORDER-42/1", "PAY-1");
    const created = await receiver({ attempts: gateway.idempotency });
    await deliver(created, "payment.completed", { ...PAID, reference: "PAY-2" });
    await expect
      .poll(() => doubles)
      .toEqual([{ by: "account_reference", value: "ORDER-42", references: ["PAY-1", "PAY-2"] }]);
  });
});

test.each([
  [{ attempts: {} }, /`attempts` must be the `idempotency` of a gateway/],
  [{ onDoublePayment: 1 }, /`onDoublePayment` must be a function/],
])("createWebhookReceiver rejects %j", (options, message) => {
  expect(() => createWebhookReceiver({ secret: SECRET, ...options } as never)).toThrow(message);
});
