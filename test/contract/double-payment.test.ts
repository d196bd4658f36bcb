import { expect, test } from "vitest";
import { DoublePaymentDetector } from "../../src/contract/double-payment.ts";

const paid = (reference: string, account_reference: string) => ({
  status: "completed",
  reference,
  account_reference,
});

test("payments of two owners are not a double payment", () => {
  const detector = new DoublePaymentDetector();
  expect(detector.note(paid("PAY-1", "ORDER-1"), "wanjiku")).toEqual([]);
  expect(detector.note(paid("PAY-2", "ORDER-1"), "otieno")).toEqual([]);
  expect(detector.note(paid("PAY-3", "ORDER-1"), "wanjiku")).toEqual([
    { by: "account_reference", value: "ORDER-1", references: ["PAY-1", "PAY-3"] },
  ]);
});

test("an owner with many payments makes the payments of no other owner forgotten", () => {
  const detector = new DoublePaymentDetector(100);
  for (let at = 0; at < 10; at++) detector.note(paid(`SMALL-${at}`, `ORDER-${at}`), "small");
  for (let at = 0; at < 1_000; at++) detector.note(paid(`LARGE-${at}`, `ORDER-${at}`), "large");
  for (let at = 0; at < 10; at++) {
    expect(detector.note(paid("AGAIN", `ORDER-${at}`), "small")).toHaveLength(1);
  }
  expect(detector.note(paid("AGAIN", "ORDER-0"), "large")).toEqual([]);
  expect(detector.note(paid("AGAIN", "ORDER-999"), "large")).toHaveLength(1);
});
