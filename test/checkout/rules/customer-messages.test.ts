import { readdirSync, readFileSync } from "node:fs";
import { memory } from "malipo";
import { describe, expect, test } from "vitest";
import { MESSAGES, messageOf } from "../../../src/checkout/rules/customer-messages.ts";
import type { AttemptState, OrderState } from "../../../src/checkout/rules/order-state.ts";
import { orderView } from "../../../src/checkout/rules/view.ts";
import { newSandbox, ORDER, openShop } from "../stage.ts";

const CHECKOUT = new URL("../../../src/checkout/", import.meta.url);
const sources = readdirSync(CHECKOUT, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && path !== "rules/customer-messages.ts")
  .map((path) => ({ path, text: readFileSync(new URL(path, CHECKOUT), "utf8") }));

const NOW = Date.parse("2026-12-01T10:00:00Z");

/** An order as a store has it. */
const orderOf = (more: Partial<OrderState>): OrderState => ({
  ...{ id: "A", accountReference: "A", amount: "100.00", currency: "KES", metadata: {} },
  ...{ attemptLimit: 3, attempts: [], money: [], reviews: [], createdAt: NOW, updatedAt: NOW },
  ...more,
});

const attemptOf = (more: Partial<AttemptState>): AttemptState => ({
  ...{ number: 1, status: "failed", phone: "0712 *** 678", phoneDigest: "d", askedAt: NOW },
  ...more,
});

const shown = (more: Partial<OrderState>, now = NOW) => {
  const { message, messageCode, messageValues } = orderView(orderOf(more), now);
  return { message, messageCode, messageValues };
};

/** The codes that are stored, in an attempt or in what stopped one. */
const STORED = [
  "payment_failed",
  "not_sent",
  "last_payment_open",
  "last_payment_unchecked",
  "phone_busy",
  "rejected_phone",
  "rejected_amount",
  "rejected_shop",
  "service_busy",
] as const;
type StoredCode = (typeof STORED)[number];

test.each(STORED)("the code %s is stored by a rule or its caller", (code) => {
  const isUsed = ({ path, text }: { path: string; text: string }) =>
    /^(rules|orders)\//.test(path) && text.includes(`"${code}"`);
  expect(sources.some(isUsed)).toBe(true);
});

test.each(Object.entries(MESSAGES))("the words of %s stand in one file", (_, text) => {
  const others = sources.filter((one) => one.text.includes(`"${text}"`));
  expect(others.map(({ path }) => path)).toEqual([]);
});

test("no sentence is the key of a table", () => {
  const keyed = sources.filter(({ text }) => /^\s*"[A-Z][^"\n]*\.":/m.test(text));
  expect(keyed.map(({ path }) => path)).toEqual([]);
});

describe("an order has the code of its message", () => {
  const pending = attemptOf({ status: "pending" });
  const late = { id: "r", kind: "late_payment", references: ["PAY-1"], at: NOW } as const;
  const part = { reference: "P", amount: "40.00", currency: "KES", counts: true } as const;
  const due = { ...late, kind: "refund_due" } as const;
  const elsewhere = { closed: "canceled", closedFor: "paid_elsewhere" } as const;
  const held = { ...late, kind: "amount_mismatch" } as const;
  const effect = { state: "refunded", tries: 0, at: 0 } as const;
  const limit = (minutes: number) =>
    ({ by: "limit", message: "", until: NOW + minutes * 60_000 }) as const;
  const three = [1, 2, 3].map((number) => attemptOf({ number }));
  const thirty = Array.from({ length: 30 }, () => attemptOf({ status: "not_sent" }));
  // Each one that the view decides: the compiler asks for its state.
  const STATES: Readonly<Record<Exclude<keyof typeof MESSAGES, StoredCode>, Partial<OrderState>>> =
    {
      not_paid: {},
      sending: { attempts: [attemptOf({ status: "starting" })] },
      part_received: { money: [part] },
      enter_pin: { attempts: [pending] },
      checking_request: { attempts: [attemptOf({ status: "unknown" })] },
      checking_payment: { reviews: [held] },
      paid: { paidBy: "PAY-1" },
      paid_back: { paidBy: "PAY-1", effect },
      refused: { paidBy: "PAY-1", effect: { ...effect, state: "refused" } },
      canceled: { closed: "canceled" },
      canceled_paying_back: { closed: "canceled", reviews: [due] },
      paid_elsewhere: elsewhere,
      paid_elsewhere_reject_request: { ...elsewhere, attempts: [pending] },
      paid_elsewhere_paying_back: { ...elsewhere, reviews: [due] },
      canceled_reject_request: { closed: "canceled", attempts: [pending] },
      canceled_checking_payment: { closed: "canceled", reviews: [late] },
      expired: { closed: "expired" },
      expired_checking_payment: { closed: "expired", reviews: [late] },
      expired_paying_back: { closed: "expired", reviews: [due] },
      attempts_used_up: { attempts: three },
      too_many_attempts: { attempts: thirty },
      phone_limit_over: { blocked: limit(0) },
      phone_limit_minute: { blocked: limit(1) },
      phone_limit_minutes: { blocked: limit(7) },
      phone_limit_hours: { blocked: limit(1_400) },
    };

  test("part_received, if the part came after the end of the last request", () => {
    const ended = attemptOf({ status: "failed", endedAt: NOW, ...messageOf("payment_failed") });
    const shownAt = (at: number) =>
      shown({ attempts: [ended], money: [{ ...part, at }] }).messageCode;
    expect([shownAt(NOW + 1), shownAt(NOW - 1)]).toEqual(["part_received", "payment_failed"]);
  });

  test("paid_back, after the money of goods that were given was paid back", () => {
    const given = { paidBy: "PAY-1", effect: { ...effect, state: "done" } } as const;
    const money = (refunded?: true) => [{ ...part, ...(refunded && { refunded }) }];
    expect(shown({ ...given, money: money(true) }).messageCode).toBe("paid_back");
    expect(shown({ ...given, money: money() }).messageCode).toBe("paid");
  });

  test.each(Object.entries(STATES))("%s", (code, state) => {
    const { message, messageCode } = shown(state);
    expect(messageCode).toBe(code);
    expect(message).not.toMatch(/[{}]|undefined/);
  });

  test("with the numbers of its words", () => {
    expect(shown({ blocked: limit(7) })).toEqual({
      message:
        "This phone was asked too often. It can be asked again in 7 minutes. Reject a request that you did not start.",
      messageCode: "phone_limit_minutes",
      messageValues: { minutes: 7 },
    });
    expect(shown({ blocked: limit(1_400) }).messageValues).toEqual({ hours: 24 });
  });

  test("of what stopped the last attempt, in the order and in the attempt", async () => {
    const store = memory().checkout();
    const fetch = async () => Response.json({ success: false, message: "No." }, { status: 429 });
    const { checkout } = openShop(newSandbox(), store, { fetch });
    const order = await checkout.pay(ORDER);
    const told = messageOf("service_busy");
    expect(order).toMatchObject({ ...told, attempts: [told] });
    // A version without codes reads the words.
    const { stored } = await store.read(ORDER.id);
    expect(stored?.order.attempts[0]).toMatchObject(told);
  });

  test("of the network's result code, also with words of the service", () => {
    for (const message of ["You cancelled the payment request. You can try again.", "Own words."]) {
      const attempts = [attemptOf({ code: "1032", message })];
      expect(shown({ attempts })).toMatchObject({ message, messageCode: "network_1032" });
    }
  });
});

describe("an order without codes", () => {
  test("that an earlier version has stored is shown with its words", () => {
    const message = "The request was not sent to your phone, as it was said before.";
    const attempts = [attemptOf({ status: "not_sent", message })];
    const { messageCode, ...rest } = orderView(orderOf({ attempts }), NOW);
    expect(messageCode).toBeUndefined();
    expect(rest.message).toBe(message);
    expect(rest.attempts[0]).toMatchObject({ message });
    expect(rest.attempts[0]).not.toHaveProperty("messageCode");
    const blocked = { until: NOW + 5_000, message: "Answer the other request first." };
    expect(shown({ blocked }).message).toBe(blocked.message);
  });

  test("has a result code that is not known, or words of the service alone", () => {
    const attempts = [attemptOf({ code: "7777", message: "Ask Asha." })];
    expect(shown({ attempts })).toEqual({ message: "Ask Asha." });
  });
});
