import fc from "fast-check";
import { InvalidParamsError, type MergedPayment, mergePayment, type Payment } from "malipo";
import { describe, expect, test } from "vitest";

/** What is known after reports, one after another, and what each of them did. */
function merged(reports: readonly Payment[]) {
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

/** By the rules alone: what a payment is, whatever the order of its reports. */
function verdict(reports: readonly Payment[]): string | undefined {
  if (has(reports, "completed")) return "completed";
  if (has(reports, "failed")) return "failed";
  return reports.at(-1)?.status;
}

const OPEN = "still open";
// biome-ignore format: a table is read across
const TABLE = [
  // known, report, then known, changed, contradiction
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
  "known as %s, reported as %s: it is %s",
  (known, report, status, changed, contradiction) => {
    const before = known && { status: known, reference: "PAY-1" };
    expect(mergePayment(before, { status: report, reference: "PAY-1" })).toEqual({
      payment: { status, reference: "PAY-1" },
      changed,
      contradiction,
    });
  },
);

describe("all orders of all reports", () => {
  const STATUSES = ["pending", "queued", "failed", "completed"];
  const sequences = (length: number): Payment[][] =>
    length === 0
      ? [[]]
      : sequences(length - 1).flatMap((rest) => STATUSES.map((status) => [...rest, { status }]));
  const ALL = [1, 2, 3, 4, 5, 6].flatMap(sequences);

  test("of up to six end in the same status, once one of them is settled", () => {
    const ends = new Map<string, Set<string>>();
    for (const reports of ALL) {
      const { status = "" } = merged(reports);
      expect(status).toBe(verdict(reports));
      const same = reports
        .map((report) => report.status)
        .sort()
        .join();
      const isOpen = !has(reports, "completed") && !has(reports, "failed");
      ends.set(same, (ends.get(same) ?? new Set()).add(isOpen ? OPEN : status));
    }
    expect([...ends.values()].filter((statuses) => statuses.size > 1)).toEqual([]);
    expect(ends.size).toBeGreaterThan(200);
  });

  test("never take completed back, nor a settled payment to an open one", () => {
    for (const reports of ALL) {
      const statuses = merged(reports).steps.map(({ payment }) => payment.status);
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

  test("show a contradiction if and only if both ends were reported", () => {
    for (const reports of ALL) {
      const shown = merged(reports).steps.some(({ contradiction }) => contradiction);
      expect(shown).toBe(has(reports, "completed") && has(reports, "failed"));
    }
  });
});

/** A report of one payment, with whatever fields it comes with. */
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

describe("any reports, with any fields", () => {
  test("end in the same status in any order, once one of them is settled", () => {
    const shuffled = reports.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(merged(list).status).toBe(verdict(list));
        expect(merged(other).status).toBe(verdict(other));
        if (verdict(list) === "completed" || verdict(list) === "failed") {
          expect(verdict(other)).toBe(verdict(list));
        }
      }),
    );
  });

  test("change nothing when they come a second time", () => {
    fc.assert(
      fc.property(reports, report, (list, again) => {
        const once = merged([...list, again]).payment;
        const twice = mergePayment(once, again);
        expect(twice.payment).toEqual(once);
        expect(twice.changed).toBe(false);
      }),
    );
  });

  test("are told as a change exactly where the status is another", () => {
    fc.assert(
      fc.property(reports, (list) => {
        const { steps } = merged(list);
        for (const [at, { payment, changed }] of steps.entries()) {
          expect(changed).toBe(payment.status !== steps[at - 1]?.payment.status);
        }
      }),
    );
  });

  test("lose no field that was known, but the reasons of a failure that was none", () => {
    fc.assert(
      fc.property(reports, (list) => {
        const { payment, status } = merged(list);
        const reasons = ["failure_reason", "user_message", "retry_possible"];
        // A report that contradicts what is known adds nothing to it.
        const taken = status === "completed" ? list.filter((one) => one.status !== "failed") : list;
        for (const field of new Set(taken.flatMap(Object.keys))) {
          if (status === "completed" && reasons.includes(field)) continue;
          expect(payment).toHaveProperty([field]);
        }
      }),
    );
  });

  test("stay as they are: neither what is known nor the report is written to", () => {
    fc.assert(
      fc.property(reports, (list) => {
        const before = structuredClone(list);
        merged(list.map((one) => Object.freeze(one)));
        expect(list).toEqual(before);
      }),
    );
  });
});

test("a late success leaves nothing of the failure behind, and keeps the rest", () => {
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
  // A failure that comes late tells nothing about a completed payment.
  expect(mergePayment(completed, failed).payment).toEqual(completed);
});

test("what a service says of a completed payment is kept as it says it", () => {
  const report = { status: "completed", failure_reason: null } as unknown as Payment;
  expect(mergePayment(undefined, report).payment).toEqual(report);
  expect(mergePayment({ status: "pending" }, report).payment).toEqual(report);
});

test("a webhook without a reference is taken for the payment that is known", () => {
  const { payment } = mergePayment({ status: "pending", reference: "PAY-1" }, { status: "failed" });
  expect(payment).toEqual({ status: "failed", reference: "PAY-1" });
});

test("reports of two payments are refused", () => {
  const merge = () =>
    mergePayment({ status: "pending", reference: "A" }, { status: "completed", reference: "B" });
  expect(merge).toThrow(InvalidParamsError);
  expect(merge).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ path: ["reference"] })] }),
  );
});
