import fc from "fast-check";
import { InvalidParamsError, mergePayment, type Payment } from "malipo";
import type { MergedPayment } from "malipo/types";
import { describe, expect, test } from "vitest";
import { COMPLETED_FIELDS, FAILURE_FIELDS } from "../../src/contract/payment-state.ts";
import { INTERFACES } from "../../src/openapi/interfaces.ts";

test.each([
  ["completed", COMPLETED_FIELDS],
  ["failed", FAILURE_FIELDS],
])(
  "the fields that only a %s payment has are those whose documentation says so",
  (status, fields) => {
    const documented = Object.entries(INTERFACES.Payment).filter(([, { description }]) =>
      description.includes(`Only for ${status} payments.`),
    );
    expect(documented.map(([name]) => name).sort()).toEqual([...fields].sort());
  },
);

/** Merges reports one after another. Returns the result of each step and of the last. */
function mergeAll(reports: readonly Payment[]) {
  let known: Payment | undefined;
  const steps: MergedPayment[] = [];
  for (const report of reports) {
    const step = mergePayment(known, report);
    steps.push(step);
    known = step.payment;
  }
  return { steps, status: known?.status, payment: known };
}

const has = (reports: readonly Payment[], status: string) =>
  reports.some((report) => report.status === status);

/** The status that the rules give, whatever the order of the reports. */
function expectedStatus(reports: readonly Payment[]): string | undefined {
  if (has(reports, "completed")) return "completed";
  if (has(reports, "failed")) return "failed";
  return reports.at(-1)?.status;
}

const NOT_FINAL = "not final";
// biome-ignore format: one line for each case
const TABLE = [
  // known, report, result, changed, contradiction
  [undefined, "pending", "pending", true, false],
  [undefined, "queued", "queued", true, false],
  [undefined, "failed", "failed", true, false],
  [undefined, "completed", "completed", true, false],
  ["pending", "pending", "pending", false, false],
  ["pending", "queued", "queued", true, false],
  ["pending", "failed", "failed", true, false],
  ["pending", "completed", "completed", true, false],
  ["queued", "pending", "pending", true, false],
  ["queued", "failed", "failed", true, false],
  ["queued", "completed", "completed", true, false],
  ["failed", "pending", "failed", false, false],
  ["failed", "queued", "failed", false, false],
  ["failed", "failed", "failed", false, false],
  ["failed", "completed", "completed", true, true],
  ["completed", "pending", "completed", false, false],
  ["completed", "queued", "completed", false, false],
  ["completed", "failed", "completed", false, true],
  ["completed", "completed", "completed", false, false],
] as const;

test.each(TABLE)(
  "%s, then a report of %s, returns %s",
  (known, report, status, changed, contradiction) => {
    const before = known && { status: known, reference: "PAY-1" };
    expect(mergePayment(before, { status: report, reference: "PAY-1" })).toEqual({
      payment: { status, reference: "PAY-1" },
      changed,
      contradiction,
    });
  },
);

describe("every sequence of up to six reports", () => {
  const STATUSES = ["pending", "queued", "failed", "completed"];
  const sequences = (length: number): Payment[][] =>
    length === 0
      ? [[]]
      : sequences(length - 1).flatMap((rest) => STATUSES.map((status) => [...rest, { status }]));
  const ALL = [1, 2, 3, 4, 5, 6].flatMap(sequences);

  test("returns the same status in any order, if one report is final", () => {
    const ends = new Map<string, Set<string>>();
    for (const reports of ALL) {
      const { status = "" } = mergeAll(reports);
      expect(status).toBe(expectedStatus(reports));
      const same = reports
        .map((report) => report.status)
        .sort()
        .join();
      const isFinal = has(reports, "completed") || has(reports, "failed");
      ends.set(same, (ends.get(same) ?? new Set()).add(isFinal ? status : NOT_FINAL));
    }
    expect([...ends.values()].filter((statuses) => statuses.size > 1)).toEqual([]);
    expect(ends.size).toBeGreaterThan(200);
  });

  test("never leaves completed, and never goes from a final status to one that is not", () => {
    for (const reports of ALL) {
      const statuses = mergeAll(reports).steps.map(({ payment }) => payment.status);
      const completed = statuses.indexOf("completed");
      if (completed >= 0)
        expect(new Set(statuses.slice(completed))).toEqual(new Set(["completed"]));
      const failed = statuses.indexOf("failed");
      if (failed >= 0) {
        for (const status of statuses.slice(failed))
          expect(["failed", "completed"]).toContain(status);
      }
    }
  });

  test("has a contradiction if and only if it has both final statuses", () => {
    for (const reports of ALL) {
      const shown = mergeAll(reports).steps.some(({ contradiction }) => contradiction);
      expect(shown).toBe(has(reports, "completed") && has(reports, "failed"));
    }
  });
});

/** A report of one payment, with any fields. */
const report: fc.Arbitrary<Payment> = fc
  .record(
    {
      status: fc.constantFrom("pending", "failed", "completed", "processing", "toString", ""),
      reference: fc.constant("PAY-1"),
      amount: fc.constantFrom("1.00", "100.00"),
      transaction_id: fc.string(),
      failure_reason: fc.constantFrom("cancelled", "no money"),
      user_message: fc.string(),
      retry_possible: fc.boolean(),
      "never documented": fc.jsonValue(),
    },
    { requiredKeys: ["status"], noNullPrototype: true },
  )
  .map((fields) => fields as Payment);
const reports = fc.array(report, { minLength: 1, maxLength: 8 });

describe("reports with any fields", () => {
  test("give the same status in any order, if one report is final", () => {
    const shuffled = reports.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(mergeAll(list).status).toBe(expectedStatus(list));
        expect(mergeAll(other).status).toBe(expectedStatus(other));
        if (expectedStatus(list) === "completed" || expectedStatus(list) === "failed") {
          expect(expectedStatus(other)).toBe(expectedStatus(list));
        }
      }),
    );
  });

  test("change nothing when they arrive twice", () => {
    fc.assert(
      fc.property(reports, report, (list, again) => {
        const once = mergeAll([...list, again]).payment;
        const twice = mergePayment(once, again);
        expect(twice.payment).toEqual(once);
        expect(twice.changed).toBe(false);
      }),
    );
  });

  test("set changed exactly when the status is different", () => {
    fc.assert(
      fc.property(reports, (list) => {
        const { steps } = mergeAll(list);
        for (const [at, { payment, changed }] of steps.entries()) {
          expect(changed).toBe(payment.status !== steps[at - 1]?.payment.status);
        }
      }),
    );
  });

  test("lose no known field, except the failure reasons of a payment that completed", () => {
    fc.assert(
      fc.property(reports, (list) => {
        const { payment, status } = mergeAll(list);
        const reasons = ["failure_reason", "user_message", "retry_possible"];
        // A report that contradicts the known status adds no fields.
        const taken = status === "completed" ? list.filter((one) => one.status !== "failed") : list;
        for (const field of new Set(taken.flatMap(Object.keys))) {
          if (status === "completed" && reasons.includes(field)) continue;
          expect(payment).toHaveProperty([field]);
        }
      }),
    );
  });

  test("are not modified: neither the known payment nor the report", () => {
    fc.assert(
      fc.property(reports, (list) => {
        const before = structuredClone(list);
        mergeAll(list.map((one) => Object.freeze(one)));
        expect(list).toEqual(before);
      }),
    );
  });
});

test("a late success removes the fields of the failure, and keeps the others", () => {
  const failed = {
    status: "failed",
    reference: "PAY-1",
    amount: "100.00",
    failure_reason: "timeout",
    user_message: "We could not reach your phone.",
    retry_possible: true,
  };
  const completed = { status: "completed", reference: "PAY-1", transaction_id: "T1" };
  expect(mergePayment(failed, completed)).toEqual({
    payment: { status: "completed", reference: "PAY-1", amount: "100.00", transaction_id: "T1" },
    changed: true,
    contradiction: true,
  });
  // A late failure adds nothing to a completed payment.
  expect(mergePayment(completed, failed).payment).toEqual(completed);
});

test("the fields of a completed report stay, even failure fields", () => {
  const report = { status: "completed", failure_reason: null } as unknown as Payment;
  expect(mergePayment(undefined, report).payment).toEqual(report);
  expect(mergePayment({ status: "pending" }, report).payment).toEqual(report);
});

test("a report without a reference belongs to the known payment", () => {
  const { payment } = mergePayment({ status: "pending", reference: "PAY-1" }, { status: "failed" });
  expect(payment).toEqual({ status: "failed", reference: "PAY-1" });
});

test("reports of two payments throw an InvalidParamsError that names both references", () => {
  const merge = () =>
    mergePayment({ status: "pending", reference: "A" }, { status: "completed", reference: "B" });
  expect(merge).toThrow(InvalidParamsError);
  const message = 'expected two reports of one payment, got the references "A" and "B"';
  expect(merge).toThrow(
    expect.objectContaining({
      message: `mergePayment: ${message}. Pass the payment that has the reference of the report.`,
      issues: [{ path: ["reference"], message }],
    }),
  );
});
