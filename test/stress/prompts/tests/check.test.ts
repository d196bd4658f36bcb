import { describe, expect, test } from "vitest";
import { check, type LedgerEntry, type OrderRecord } from "../check.ts";

const payment = (order: string, reference: string, status = "completed"): LedgerEntry => ({
  account_reference: order,
  reference,
  status,
});

const answer = (reference: string, status = "completed") => ({ reference, status });

/** An order of which everything is known as it should be. */
const order = (id: string, changes: Partial<OrderRecord> = {}): OrderRecord => ({
  id,
  answers: [answer(`PAY-${id}`)],
  asked: answer(`PAY-${id}`),
  broken: [],
  ...changes,
});

/** What is found wrong, without the words. */
const found = (records: readonly OrderRecord[], ledger: readonly LedgerEntry[]) =>
  check(records, ledger).breaches.map((breach) => [breach.kind, breach.order]);

describe("the count of a campaign", () => {
  test("finds nothing wrong where every order has one prompt and the ledger's own answer", () => {
    const failed = [answer("PAY-B", "failed")];
    const records = [order("A"), order("B", { answers: failed, asked: answer("PAY-B", "failed") })];
    const ledger = [payment("A", "PAY-A"), payment("B", "PAY-B", "failed")];
    expect(check(records, ledger)).toEqual({
      prompts: 2,
      mostPrompts: 1,
      ends: { completed: 1, failed: 1 },
      breaches: [],
    });
  });

  test("finds a second prompt under one key, whatever became of it", () => {
    const ledger = [payment("A", "PAY-A"), payment("A", "PAY-A2", "failed"), payment("B", "PAY-B")];
    const verdict = check([order("A"), order("B")], ledger);
    expect(verdict.mostPrompts).toBe(2);
    expect(verdict.breaches).toEqual([
      { kind: "prompts", order: "A", what: "2 prompts: PAY-A completed, PAY-A2 failed" },
    ]);
  });

  test("finds a payment that belongs to no order", () => {
    expect(found([order("A")], [payment("A", "PAY-A"), payment("Z", "PAY-Z")])).toEqual([
      ["stray", "Z"],
    ]);
  });

  test.each([
    ["completed, where it failed", answer("PAY-A"), "failed"],
    ["failed, where it was paid", answer("PAY-A", "failed"), "completed"],
    ["completed, where the prompt is still open", answer("PAY-A"), "pending"],
    ["completed, by a reference that the ledger does not have", answer("PAY-X"), "completed"],
    ["pending, as if that were an end", answer("PAY-A", "pending"), "pending"],
  ])("finds an answer that is wrong: %s", (_, given, status) => {
    const ledger = [payment("A", "PAY-A", status)];
    const asked = answer("PAY-A", status);
    const kinds = found([order("A", { answers: [given], asked })], ledger).map(([kind]) => kind);
    expect(new Set(kinds)).toEqual(new Set(["wrong"]));
  });

  test("finds an answer that is another order's", () => {
    const ledger = [payment("A", "PAY-A"), payment("B", "PAY-B")];
    const swapped = order("A", { answers: [answer("PAY-B")] });
    expect(found([swapped, order("B")], ledger)).toEqual([["wrong", "A"]]);
  });

  test("finds one wrong answer among right ones, and counts it once", () => {
    const wrong = answer("PAY-A", "failed");
    const record = order("A", { answers: [answer("PAY-A"), wrong, wrong] });
    expect(found([record], [payment("A", "PAY-A")])).toEqual([["wrong", "A"]]);
  });

  test("finds an answer at the end that is not the one given before", () => {
    const record = order("A", { asked: answer("PAY-A", "failed") });
    expect(found([record], [payment("A", "PAY-A")])).toEqual([["wrong", "A"]]);
  });

  test("finds an order whose key gives no answer at the end", () => {
    const record = order("A", { asked: '{"end":"unknown"}' });
    const verdict = check([record], [payment("A", "PAY-A")]);
    expect(verdict.breaches).toEqual([
      { kind: "unknown", order: "A", what: 'asked at the end: {"end":"unknown"}' },
    ]);
    expect(verdict.ends).toEqual({});
  });

  test("finds an order that nobody could settle before the end", () => {
    expect(found([order("A", { answers: [] })], [payment("A", "PAY-A")])).toEqual([
      ["unknown", "A"],
    ]);
  });

  test("finds an order that was answered and never prompted", () => {
    expect(found([order("A")], [])).toEqual([["wrong", "A"]]);
  });

  test("passes on what a worker saw that must never happen", () => {
    const record = order("A", { broken: ["IdempotencyConflictError"] });
    expect(check([record], [payment("A", "PAY-A")]).breaches).toEqual([
      { kind: "broken", order: "A", what: "IdempotencyConflictError" },
    ]);
  });
});
