import { Gateway, type Payment } from "malipo";
import { createSandbox, type Sandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";
import { fc } from "../../support/properties.ts";

const PHONES = ["0712345678", "0110345678", "0712345789", "0712345039"] as const;

function gatewayOf({ keys, baseUrl, fetch }: Sandbox): Gateway {
  return new Gateway({ apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 });
}

const action = fc.oneof(
  fc.record({
    amount: fc.integer({ min: 1_00, max: 60_000_00 }),
    phone: fc.constantFrom(...PHONES),
  }),
  fc.record({
    act: fc.constantFrom("approve", "cancel", "enterWrongPin", "ignore", "switchOff", "switchOn"),
    phone: fc.constantFrom(...PHONES),
  }),
  fc.record({
    answer: fc.constantFrom("approve", "cancel", "wrongPin", "ignore", "ask"),
    phone: fc.constantFrom(...PHONES),
  }),
  fc.record({ advance: fc.constantFrom(500, 3_000, 60_000) }),
);

/** Runs these steps in turn, and calls `look` after each. */
async function live(
  sandbox: Sandbox,
  actions: readonly (typeof action extends fc.Arbitrary<infer Action> ? Action : never)[],
  look: () => Promise<void>,
): Promise<void> {
  for (const one of actions) {
    if ("advance" in one) {
      await sandbox.clock.advance(one.advance);
    } else if ("amount" in one) {
      const { amount, phone } = one;
      await gatewayOf(sandbox).mobileMoney.initiate({ amount: amount / 100, phone });
    } else if ("answer" in one) {
      sandbox.phone(one.phone).always(one.answer);
    } else {
      try {
        sandbox.phone(one.phone)[one.act]();
      } catch {
        // No prompt is open, or the phone is off.
      }
    }
    await look();
  }
}

const cents = (amount = ""): bigint => BigInt(amount.replace(/\.(?=\d\d$)/, ""));

const allPayments = async (sandbox: Sandbox): Promise<Payment[]> => {
  const { items } = await gatewayOf(sandbox).payments.list({ per_page: 100 });
  return [...items];
};

const lives = fc.array(action, { minLength: 5, maxLength: 40, size: "max" });

describe("a payment", () => {
  test("is pending, completed or failed; a final status never changes", async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (actions) => {
        const sandbox = createSandbox();
        const final = new Map<unknown, Payment>();
        await live(sandbox, actions, async () => {
          for (const payment of await allPayments(sandbox)) {
            const before = final.get(payment.reference);
            if (before !== undefined) expect(payment).toEqual(before);
            if (payment.status !== "pending") final.set(payment.reference, payment);
            expect(["pending", "completed", "failed"]).toContain(payment.status);
          }
        });
      }),
      { numRuns: 30 },
    );
  });

  test("takes from the customer exactly what the merchant gets", async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (actions) => {
        const sandbox = createSandbox();
        await live(sandbox, actions, async () => {
          let sum = 0n;
          for (const phone of PHONES) {
            const balance = cents(sandbox.phone(phone).balance);
            expect(balance).toBeGreaterThanOrEqual(0n);
            sum += balance;
          }
          for (const payment of await allPayments(sandbox)) {
            if (payment.status === "completed") sum += cents(payment.amount);
          }
          expect(sum).toBe(BigInt(PHONES.length) * 100_000_00n);
        });
      }),
      { numRuns: 30 },
    );
  });

  test("has its own id, reference and checkout request id", async () => {
    const sandbox = createSandbox();
    for (let count = 0; count < 100; count++) {
      await gatewayOf(sandbox).mobileMoney.initiate({ amount: 1, phone: PHONES[0] });
      sandbox.phone(PHONES[0]).cancel();
    }
    const payments = await allPayments(sandbox);
    for (const field of ["payment_id", "reference", "checkout_request_id"] as const) {
      expect(new Set(payments.map((payment) => payment[field])).size).toBe(100);
    }
  });
});

describe("a second prompt while one is open", () => {
  const [PHONE, OTHER] = PHONES;

  test("fails at once, and the first stays open", async () => {
    const sandbox = createSandbox();
    const { mobileMoney, payments } = gatewayOf(sandbox);
    const first = await mobileMoney.initiate({ amount: 1, phone: PHONE });
    const second = await mobileMoney.initiate({ amount: 2, phone: "+254 712 345 678" });
    expect(await payments.get(second.reference)).toMatchObject({
      status: "failed",
      failure_reason: expect.stringMatching(/^1001: .*another request is waiting/),
      user_message: expect.stringMatching(/another request is waiting/),
      retry_possible: false,
    });
    expect(sandbox.phone(PHONE).prompt?.reference).toBe(first.reference);
    expect((await payments.get(first.reference)).status).toBe("pending");
    sandbox.phone(PHONE).approve();
    expect((await payments.get(first.reference)).status).toBe("completed");
    expect(sandbox.phone(PHONE).balance).toBe("99999.00");
  });

  test("is shown if the first was answered, has expired, or is on another phone", async () => {
    const sandbox = createSandbox();
    const { mobileMoney } = gatewayOf(sandbox);
    await mobileMoney.initiate({ amount: 1, phone: PHONE });
    await mobileMoney.initiate({ amount: 1, phone: OTHER });
    expect(sandbox.phone(OTHER).prompt).toBeDefined();
    sandbox.phone(PHONE).enterWrongPin();
    const again = await mobileMoney.initiate({ amount: 1, phone: PHONE });
    expect(sandbox.phone(PHONE).prompt?.reference).toBe(again.reference);
    await sandbox.clock.advance("60s");
    const last = await mobileMoney.initiate({ amount: 1, phone: PHONE });
    expect(sandbox.phone(PHONE).prompt?.reference).toBe(last.reference);
  });

  test("has its own sixty seconds", async () => {
    const sandbox = createSandbox();
    const { mobileMoney } = gatewayOf(sandbox);
    await mobileMoney.initiate({ amount: 1, phone: PHONE });
    await sandbox.clock.advance("30s");
    sandbox.phone(PHONE).cancel();
    await mobileMoney.initiate({ amount: 1, phone: PHONE });
    await sandbox.clock.advance("59s");
    expect(sandbox.phone(PHONE).prompt).toBeDefined();
    await sandbox.clock.advance("1s");
    expect(sandbox.phone(PHONE).prompt).toBeUndefined();
  });
});
