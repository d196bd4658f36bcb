import { ConfigurationError, Gateway } from "malipo";
import { createSandbox, type Phone } from "malipo/sandbox";
import { beforeEach, describe, expect, test } from "vitest";

const sandbox = createSandbox();
const { baseUrl, fetch } = sandbox;
const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl, fetch, maxRetries: 0 });
const PHONE = "0712345678";
const phone = sandbox.phone(PHONE);

beforeEach(() => sandbox.reset());

const initiate = (amount = 100, more: object = {}) =>
  gateway.mobileMoney.initiate({ amount, phone: PHONE, ...more });

const failed = (failure_reason: RegExp, user_message: RegExp, retry_possible: boolean) => ({
  status: "failed",
  failure_reason: expect.stringMatching(failure_reason),
  user_message: expect.stringMatching(user_message),
  retry_possible,
});

describe("a phone", () => {
  test.each(["0712345678", "254712345678", "+254 712 345 678", "712345678", "0712-345-678"])(
    "is the same phone, written %s",
    async (number) => {
      const { reference } = await initiate();
      expect(sandbox.phone(number).prompt?.reference).toBe(reference);
      sandbox.phone(number).approve();
      expect(phone.prompt).toBeUndefined();
    },
  );

  test.each(["", "12345", "+25571234567", "254212345678", "0812345678", "07123456789", "my phone"])(
    "is rejected if it is not the number of a mobile phone: %j",
    (number) => {
      expect(() => sandbox.phone(number)).toThrow(ConfigurationError);
    },
  );

  test("shows the open prompt, and none before or after", async () => {
    expect(phone.prompt).toBeUndefined();
    const more = { description: "two books", account_reference: "order-1" };
    const { reference, checkout_request_id } = await initiate(99.5, more);
    expect(phone.prompt).toEqual({
      reference,
      checkout_request_id,
      amount: "99.50",
      currency: "KES",
      ...more,
      expires_at: "2026-01-01T09:01:00+03:00",
    });
    expect(sandbox.phone("0712345679").prompt).toBeUndefined();
    phone.cancel();
    expect(phone.prompt).toBeUndefined();
  });

  const ACTS = ["approve", "cancel", "enterWrongPin", "ignore"] as const;
  test.each(ACTS)("throws on %s if no prompt is open", async (act) => {
    expect(() => phone[act]()).toThrow(ConfigurationError);
    await initiate();
    phone.approve();
    expect(() => phone[act]()).toThrow(/no prompt/);
  });

  test.each(ACTS)("throws on %s while it is switched off", async (act) => {
    const { reference } = await initiate();
    phone.switchOff();
    expect(() => phone[act]()).toThrow(/off/);
    phone.switchOn();
    expect(phone[act]().reference).toBe(reference);
  });

  test.each<[string, (phone: Phone) => unknown, object]>([
    ["approve() completes", (one) => one.approve(), { status: "completed" }],
    ["cancel() fails", (one) => one.cancel(), failed(/^1032: .*cancel/, /cancel/, true)],
    ["enterWrongPin() fails", (one) => one.enterWrongPin(), failed(/^2001: .*PIN/, /PIN/, true)],
    ["ignore() leaves", (one) => one.ignore(), { status: "pending" }],
  ])("%s the payment at once, synchronously, and returns it", async (_, act, expected) => {
    const { reference } = await initiate();
    const payment = act(phone);
    expect(payment).toMatchObject({ reference, ...expected });
    expect(await gateway.payments.get(reference)).toEqual(payment);
  });

  test("that is ignored cannot be answered: the prompt expires after sixty seconds", async () => {
    const { reference } = await initiate();
    phone.ignore();
    phone.always("approve");
    await sandbox.clock.advance("59s");
    expect((await gateway.payments.get(reference)).status).toBe("pending");
    await sandbox.clock.advance("1s");
    expect(await gateway.payments.get(reference)).toMatchObject(
      failed(/^1037: /, /could not reach your phone/, true),
    );
  });

  test("that is approved adds the provider's fields to the payment", async () => {
    const { reference } = await initiate();
    const { transaction_id, ...payment } = phone.approve();
    expect(transaction_id).toMatch(/^[A-Z0-9]{10}$/);
    expect(payment).toMatchObject({
      reference,
      provider_transaction_id: transaction_id,
      provider_reference: expect.any(String),
      payer_name: expect.any(String),
    });
    expect(payment).not.toHaveProperty("failure_reason");
    expect(payment).not.toHaveProperty("retry_possible");
  });
});

describe("a balance", () => {
  test("is 100,000.00 at first, and an approval debits it", async () => {
    expect(phone.balance).toBe("100000.00");
    await initiate(99.99);
    expect(phone.balance).toBe("100000.00");
    phone.approve();
    expect(phone.balance).toBe("99900.01");
    expect(sandbox.phone("0712345679").balance).toBe("100000.00");
  });

  test.each(["cancel", "enterWrongPin", "ignore"] as const)("is not changed by %s", async (act) => {
    await initiate();
    phone[act]();
    await sandbox.clock.advance("61s");
    expect(phone.balance).toBe("100000.00");
  });

  test.each([
    ["50.00", 50, "0.00"],
    ["50.00", 49.99, "0.01"],
    ["250000", 250_000, "0.00"],
    [100.5, 100, "0.50"],
  ])("of %j is enough for %d, and leaves %s", async (balance, amount, left) => {
    phone.setBalance(balance);
    await initiate(amount);
    expect(phone.approve().status).toBe("completed");
    expect(phone.balance).toBe(left);
  });

  test("that is not enough fails the payment, and is not changed", async () => {
    phone.setBalance("50.00");
    await initiate(50.01);
    expect(phone.approve()).toMatchObject(failed(/^1: .*balance/, /not enough money/, true));
    expect(phone.balance).toBe("50.00");
    phone.setBalance("50.01");
    await initiate(50.01);
    expect(phone.approve().status).toBe("completed");
  });

  test.each(["-1", "1.234", "much", "", -1, Number.NaN, 1e21])("cannot be %j", (balance) => {
    expect(() => phone.setBalance(balance)).toThrow(ConfigurationError);
    expect(phone.balance).toBe("100000.00");
  });
});
