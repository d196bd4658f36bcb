import { memory } from "malipo";
import { type CheckoutStore, createCheckout } from "malipo/checkout";
import type { Sandbox } from "malipo/sandbox";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { encodeProfile } from "../../src/profile/file-format.ts";
import { EMPTY_PROFILE, type ProfileFile } from "../../src/profile/profile-types.ts";
import { atEnd, newSandbox, ORDER } from "./stage.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance", "hrtime"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const forever = () => new Promise<never>(() => {});

/** What a shop knows of the list of its service. */
interface Known {
  readonly notSentAfterMs?: number;
  readonly profile?: ProfileFile;
}

/** A shop that makes its own gateway. */
function shop(
  sandbox: Sandbox,
  store: CheckoutStore,
  fetch: typeof sandbox.fetch = sandbox.fetch,
  { notSentAfterMs, profile }: Known = {},
) {
  const { baseUrl, keys, webhookSecret: secret } = sandbox;
  const gateway = { apiKey: keys.secret, baseUrl, fetch, maxRetries: 0, profile };
  const onError = () => {};
  const checkout = createCheckout({
    ...{ store, gateway, secret, onError, onPaid: forever },
    ...(notSentAfterMs !== undefined && { notSentAfterMs }),
  });
  atEnd(() => checkout.stop({ timeoutMs: 1 }));
  return checkout;
}

/** Lets a process die at the first prompt of an order. Returns after how many seconds it was known. */
async function secondsToEnd(sandbox: Sandbox, given: CheckoutStore, known?: Known) {
  // The calls of the dead process.
  let died = () => {};
  const dies = new Promise<void>((resolve) => {
    died = resolve;
  });
  const fetch = () => {
    died();
    return forever();
  };
  void shop(sandbox, given, fetch, known)
    .pay(ORDER)
    .catch(() => {});
  await dies;
  return secondsUntilItEnds(shop(sandbox, given, undefined, known));
}

async function secondsUntilItEnds(checkout: ReturnType<typeof shop>) {
  for (let second = 1; second < 1_200; second++) {
    vi.advanceTimersByTime(1_000);
    await checkout.reconcile();
    const order = await checkout.get(ORDER.id);
    if (order?.status === "pending") continue;
    expect(order).toMatchObject({ status: "open", canPay: true });
    expect(order?.attempts).toMatchObject([{ status: "not_sent" }]);
    return second;
  }
  throw new Error("The order never reached an end.");
}

it("an order whose process dies before its request is sent may be paid again after notSentAfterMs", async () => {
  const seconds = await secondsToEnd(newSandbox(), memory().checkout(), { notSentAfterMs: 20_000 });
  // The lease of a call of 15 s, and what its request may still take.
  expect(seconds).toBeGreaterThanOrEqual(25);
  expect(seconds).toBeLessThanOrEqual(25 + 20);
});

it("in a drill, which sets MALIPO_NOT_SENT_AFTER_MS, it may be paid again after that", async () => {
  vi.stubEnv("MALIPO_NOT_SENT_AFTER_MS", "20000");
  const seconds = await secondsToEnd(newSandbox(), memory().checkout());
  expect(seconds).toBeLessThanOrEqual(25 + 20);
  vi.stubEnv("MALIPO_NOT_SENT_AFTER_MS", "20 s");
  expect(() => shop(newSandbox(), memory().checkout())).toThrow(/MALIPO_NOT_SENT_AFTER_MS/);
});

it("without notSentAfterMs, it may be paid again after ten minutes, and a few seconds", async () => {
  const seconds = await secondsToEnd(newSandbox(), memory().checkout());
  expect(seconds).toBeGreaterThanOrEqual(600);
  expect(seconds).toBeLessThanOrEqual(610);
});

it.each([undefined, 20_000])(
  "with a profile that knows a slow list, it may be paid again after ten times as long, not after %s",
  async (notSentAfterMs) => {
    const lists = { "GET /payments": { listedWithinMs: 90_000 } };
    const profile = encodeProfile({ ...EMPTY_PROFILE, lists });
    const known = { profile, ...(notSentAfterMs !== undefined && { notSentAfterMs }) };
    const seconds = await secondsToEnd(newSandbox(), memory().checkout(), known);
    expect(seconds).toBeGreaterThanOrEqual(900);
  },
);

it("an order whose process dies before its key is written may be paid again after promptWithinMs", async () => {
  const store = memory().checkout();
  let died = () => {};
  const dies = new Promise<void>((resolve) => {
    died = resolve;
  });
  const begin = () => {
    died();
    return forever();
  };
  const sandbox = newSandbox();
  const { idempotency } = store;
  const dead = { ...store, idempotency: { ...idempotency, begin } };
  void shop(sandbox, dead)
    .pay(ORDER)
    .catch(() => {});
  await dies;
  const seconds = await secondsUntilItEnds(shop(sandbox, store));
  expect(seconds).toBeGreaterThanOrEqual(65);
  expect(seconds).toBeLessThanOrEqual(67);
});

it("promptWithinMs counts from the call of pay, so that a slow store sends no late prompt", async () => {
  const sandbox = newSandbox();
  const store = memory().checkout();
  let prompts = 0;
  const fetch: typeof sandbox.fetch = (...args) => {
    prompts++;
    return sandbox.fetch(...args);
  };
  // One read comes before the prompt.
  const withReadsOf = (ms: number) => ({
    ...store,
    read: (...args: Parameters<typeof store.read>) => {
      vi.advanceTimersByTime(ms);
      return store.read(...args);
    },
  });
  const late = await shop(sandbox, withReadsOf(61_000), fetch).pay(ORDER);
  expect(late).toMatchObject({ status: "open", attempts: [{ status: "not_sent" }] });
  expect(prompts).toBe(0);
  const inTime = await shop(sandbox, withReadsOf(50_000), fetch).pay(ORDER);
  expect(inTime).toMatchObject({ status: "pending" });
  expect(prompts).toBe(1);
});
