import { InvalidParamsError, mergePayment, type Payment } from "malipo";
import type { MergedPayment } from "malipo/types";
import { describe, expect, test } from "vitest";
import { COMPLETED_FIELDS, FAILURE_FIELDS } from "../../src/contract/payment-state.ts";
import { INTERFACES } from "../../src/openapi/interfaces.ts";
import { fc } from "../support/properties.ts";

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

/** Merges updates one after another. Returns the result of each step and of the last. */
function mergeAll(updates: readonly Payment[]) {
  let known: Payment | undefined;
  const steps: MergedPayment[] = [];
  for (const update of updates) {
    const step = mergePayment(known, update);
    steps.push(step);
    known = step.payment;
  }
  return { steps, status: known?.status, payment: known };
}

const has = (updates: readonly Payment[], status: string) =>
  updates.some((update) => update.status === status);

/** The status that the rules give, whatever the order of the updates. */
function expectedStatus(updates: readonly Payment[]): string | undefined {
  if (has(updates, "completed")) return "completed";
  if (has(updates, "failed")) return "failed";
  return updates.at(-1)?.status;
}

const NOT_FINAL = "not final";
// biome-ignore format: one line for each case
const TABLE = [
  // known, update, result, changed, contradiction
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
  "%s, then an update of %s, returns %s",
  (known, update, status, changed, contradiction) => {
    const before = known && { status: known, reference: "PAY-1" };
    expect(mergePayment(before, { status: update, reference: "PAY-1" })).toEqual({
      payment: { status, reference: "PAY-1" },
      changed,
      contradiction,
    });
  },
);

describe("every sequence of up to six updates", () => {
  const STATUSES = ["pending", "queued", "failed", "completed"];
  const sequences = (length: number): Payment[][] =>
    length === 0
      ? [[]]
      : sequences(length - 1).flatMap((rest) => STATUSES.map((status) => [...rest, { status }]));
  const ALL = [1, 2, 3, 4, 5, 6].flatMap(sequences);

  test("returns the same status in any order, if one update is final", () => {
    const ends = new Map<string, Set<string>>();
    for (const updates of ALL) {
      const { status = "" } = mergeAll(updates);
      expect(status).toBe(expectedStatus(updates));
      const same = updates
        .map((update) => update.status)
        .sort()
        .join();
      const isFinal = has(updates, "completed") || has(updates, "failed");
      ends.set(same, (ends.get(same) ?? new Set()).add(isFinal ? status : NOT_FINAL));
    }
    expect([...ends.values()].filter((statuses) => statuses.size > 1)).toEqual([]);
    expect(ends.size).toBeGreaterThan(200);
  });

  test("never leaves completed, and never goes from a final status to one that is not", () => {
    for (const updates of ALL) {
      const statuses = mergeAll(updates).steps.map(({ payment }) => payment.status);
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
    for (const updates of ALL) {
      const shown = mergeAll(updates).steps.some(({ contradiction }) => contradiction);
      expect(shown).toBe(has(updates, "completed") && has(updates, "failed"));
    }
  });
});

/** An update of one payment, with any fields. */
const update: fc.Arbitrary<Payment> = fc
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
const updates = fc.array(update, { minLength: 1, maxLength: 8 });

describe("updates with any fields", () => {
  test("give the same status in any order, if one update is final", () => {
    const shuffled = updates.chain((list) =>
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
      fc.property(updates, update, (list, again) => {
        const once = mergeAll([...list, again]).payment;
        const twice = mergePayment(once, again);
        expect(twice.payment).toEqual(once);
        expect(twice.changed).toBe(false);
      }),
    );
  });

  test("set changed exactly when the status is different", () => {
    fc.assert(
      fc.property(updates, (list) => {
        const { steps } = mergeAll(list);
        for (const [at, { payment, changed }] of steps.entries()) {
          expect(changed).toBe(payment.status !== steps[at - 1]?.payment.status);
        }
      }),
    );
  });

  test("lose no known field, except the failure reasons of a payment that completed", () => {
    fc.assert(
      fc.property(updates, (list) => {
        const { payment, status } = mergeAll(list);
        const reasons = ["failure_reason", "user_message", "retry_possible"];
        // An update that contradicts the known status adds no fields.
        const taken = status === "completed" ? list.filter((one) => one.status !== "failed") : list;
        for (const field of new Set(taken.flatMap(Object.keys))) {
          if (status === "completed" && reasons.includes(field)) continue;
          expect(payment).toHaveProperty([field]);
        }
      }),
    );
  });

  test("are not modified: neither the known payment nor the update", () => {
    fc.assert(
      fc.property(updates, (list) => {
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

test("the fields of a completed update stay, even failure fields", () => {
  const update = { status: "completed", failure_reason: null } as unknown as Payment;
  expect(mergePayment(undefined, update).payment).toEqual(update);
  expect(mergePayment({ status: "pending" }, update).payment).toEqual(update);
});

test("an update without a reference belongs to the known payment", () => {
  const { payment } = mergePayment({ status: "pending", reference: "PAY-1" }, { status: "failed" });
  expect(payment).toEqual({ status: "failed", reference: "PAY-1" });
});

test("updates of two payments throw an InvalidParamsError that names both references", () => {
  const merge = () =>
    mergePayment({ status: "pending", reference: "A" }, { status: "completed", reference: "B" });
  expect(merge).toThrow(InvalidParamsError);
  const message = 'expected two updates of one payment, got the references "A" and "B"';
  expect(merge).toThrow(
    expect.objectContaining({
      message: `mergePayment: ${message}. Pass the payment that has the reference of the update.`,
      issues: [{ path: ["reference"], message }],
    }),
  );
});
