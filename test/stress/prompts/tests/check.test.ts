import { describe, expect, test } from "vitest";
import { breachesAtEnd } from "../history/check-ends.ts";
import type { EventOf } from "../messages.ts";

type Order = EventOf<"order">;
type Payment = EventOf<"payment">;
const stamp = { at: 0, who: "shop" };

const payment = (key: string, reference: string, status = "completed"): Payment => ({
  ...{ ...stamp, what: "payment", key, reference, status },
});

const result = (reference: string, status = "completed") => ({ reference, status });

/** An order with one prompt and the right status. */
const order = (key: string, changes: Partial<Order> = {}): Order => ({
  ...{ ...stamp, what: "order", key },
  results: [result(`PAY-${key}`)],
  atEnd: result(`PAY-${key}`),
  unexpected: [],
  ...changes,
});

/** The kind and the order of each breach. */
const found = (orders: readonly Order[], ledger: readonly Payment[]) =>
  breachesAtEnd([...orders, ...ledger]).map((breach) => [breach.kind, breach.order]);

describe("the check of a campaign", () => {
  test("finds nothing wrong when every order has one prompt and the ledger's status", () => {
    const failed = [result("PAY-B", "failed")];
    const records = [order("A"), order("B", { results: failed, atEnd: result("PAY-B", "failed") })];
    const ledger = [payment("A", "PAY-A"), payment("B", "PAY-B", "failed")];
    expect(found(records, ledger)).toEqual([]);
  });

  test("finds a second prompt under one key, whatever its status", () => {
    const ledger = [payment("A", "PAY-A"), payment("A", "PAY-A2", "failed"), payment("B", "PAY-B")];
    expect(breachesAtEnd([order("A"), order("B"), ...ledger])).toEqual([
      { kind: "prompts", order: "A", what: "2 prompts: PAY-A completed, PAY-A2 failed" },
    ]);
  });

  test("finds a payment that belongs to no order", () => {
    expect(found([order("A")], [payment("A", "PAY-A"), payment("Z", "PAY-Z")])).toEqual([
      ["stray", "Z"],
    ]);
  });

  test.each([
    ["completed, but it failed", result("PAY-A"), "failed"],
    ["failed, but it was paid", result("PAY-A", "failed"), "completed"],
    ["completed, but the prompt is still open", result("PAY-A"), "pending"],
    ["completed, under a reference that the ledger does not have", result("PAY-X"), "completed"],
    ["pending, as if that were final", result("PAY-A", "pending"), "pending"],
  ])("finds an result that is wrong: %s", (_, given, status) => {
    const ledger = [payment("A", "PAY-A", status)];
    const atEnd = result("PAY-A", status);
    const kinds = found([order("A", { results: [given], atEnd })], ledger).map(([kind]) => kind);
    expect(new Set(kinds)).toEqual(new Set(["wrong"]));
  });

  test("finds a status that belongs to another order", () => {
    const ledger = [payment("A", "PAY-A"), payment("B", "PAY-B")];
    const swapped = order("A", { results: [result("PAY-B")] });
    expect(found([swapped, order("B")], ledger)).toEqual([["wrong", "A"]]);
  });

  test("finds one wrong status among right ones, and counts it once", () => {
    const wrong = result("PAY-A", "failed");
    const record = order("A", { results: [result("PAY-A"), wrong, wrong] });
    expect(found([record], [payment("A", "PAY-A")])).toEqual([["wrong", "A"]]);
  });

  test("finds a status at the end that differs from an earlier one", () => {
    const record = order("A", { atEnd: result("PAY-A", "failed") });
    expect(found([record], [payment("A", "PAY-A")])).toEqual([["wrong", "A"]]);
  });

  test("finds an order whose key has no status at the end", () => {
    const record = order("A", { atEnd: '{"end":"unknown"}' });
    expect(breachesAtEnd([record, payment("A", "PAY-A")])).toEqual([
      { kind: "unknown", order: "A", what: 'at the end: {"end":"unknown"}' },
    ]);
  });

  test("finds an order without a final status before the end", () => {
    expect(found([order("A", { results: [] })], [payment("A", "PAY-A")])).toEqual([
      ["unknown", "A"],
    ]);
  });

  test("finds an order that has a status and no prompt", () => {
    expect(found([order("A")], [])).toEqual([["wrong", "A"]]);
  });

  test("reports an error that must never happen", () => {
    const record = order("A", { unexpected: ["IdempotencyConflictError"] });
    expect(breachesAtEnd([record, payment("A", "PAY-A")])).toEqual([
      { kind: "unexpected", order: "A", what: "IdempotencyConflictError" },
    ]);
  });
});
