import { expect, test } from "vitest";
import { CaseRun, type Scene } from "../../src/drill/case-run.ts";
import { allCases, type DrillCase } from "../../src/drill/cases.ts";
import { type DrillPayment, dueOf, receivedOf } from "../../src/drill/drill-payment.ts";
import { brokenPromises, CANCELED, CHANGED, REFUNDED } from "../../src/drill/promises.ts";

const completed = (amount: number) => ({ amount, status: "completed" });

test("what is due of a price is what has not come, and never less than nothing", () => {
  const payments = [completed(60), { amount: 100, status: "failed" }, completed(25)];
  expect([receivedOf(payments), dueOf(100, payments), dueOf(80, payments)]).toEqual([85, 15, 0]);
});

const sandbox = { phone: () => ({ prompt: undefined }) };
const template = { method: "POST", path: "/orders", body: "{amount}" };
const settings = { phones: "0190", country: "KE", currency: "KES", order: template };

/** An order of a case with this act, and a way to let the service prompt its phone. */
function orderOf(act: DrillCase["act"]) {
  const one = allCases().find((known) => known.act === act) as DrillCase;
  const run = new CaseRun(one, { settings, sandbox } as unknown as Scene);
  const prompt = (amount: number, status: string, number = `254${run.phone.slice(1)}`) => {
    const reference = `PAY-${run.payments.length}`;
    run.prompted({ reference, phone: run.phone, amount, label: run.order, number });
    const payment = run.payments.at(-1);
    if (payment) payment.status = status;
  };
  const broken = () => brokenPromises(run).map(([name]) => name);
  return { run, prompt, broken };
}

test("an order that grew is asked for the rest, beside no open prompt", () => {
  const { run, prompt, broken } = orderOf("updateMeanwhile");
  prompt(run.amount, "completed");
  run.changedPrice = run.amount + 50;
  expect(broken()).toEqual([]);
  prompt(50, "completed");
  run.saw({ askedAt: 1, shown: "paid", effects: 1 });
  expect(broken()).toEqual([]);
  expect(run.payments.map(({ due, isRepeat }) => [due, isRepeat])).toEqual([
    [run.amount, false],
    [50, false],
  ]);
  prompt(50, "pending");
  expect(run.payments[2]?.isRepeat).toBe(true);
});

test.each([
  ["asks for the old price", 0, "open"],
  ["says paid of a part", 50, "paid"],
])("a shop that %s breaks the promise of what is due", (_, more, shown) => {
  const { run, prompt, broken } = orderOf("updateOpen");
  prompt(run.amount, "failed");
  run.changedPrice = run.amount + 50;
  if (more === 0) prompt(run.amount, "pending");
  else
    run.payments.push({
      ...(run.payments[0] as DrillPayment),
      amount: 10,
      due: 10,
      status: "completed",
    });
  run.saw({ askedAt: 1, shown, effects: 0 });
  expect(broken()).toContain(CHANGED);
});

test.each([
  ["cancelMeanwhile", "canceled", CANCELED, "paid", 0],
  ["cancelMeanwhile", "canceled", CANCELED, "failed", 1],
  ["refund", "refunded", REFUNDED, "paid", 1],
] as const)(
  "an order that goes on after it was closed is found (%s: %s)",
  (act, how, promise, shown, effects) => {
    const { run, prompt, broken } = orderOf(act);
    prompt(run.amount, "completed");
    run.closed = { how, effects: 0 };
    run.saw({ askedAt: 1, shown: "failed", effects: 0 });
    expect(broken()).toEqual([]);
    run.saw({ askedAt: 2, shown, effects });
    expect(broken()).toEqual([promise]);
  },
);

test("the number of another country rings no phone of this one", () => {
  const { run, prompt, broken } = orderOf("foreignPhone");
  expect(run.typedPhone).toBe(`+256${run.phone.slice(1)}`);
  prompt(run.amount, "failed", run.typedPhone.slice(1));
  expect(broken()).toEqual([]);
  prompt(run.amount, "failed");
  expect(broken()).toEqual(["the phone that was typed rings, and no other one"]);
});
