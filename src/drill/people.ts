import type { Act } from "./cases.ts";
import { deliverFinal, succeedLate } from "./deliver.ts";
import { until } from "./machine-pace.ts";
import { MANAGED, type Stage } from "./manage-order.ts";

/** How long people wait for what they expect to see. */
const MAX_WAIT_MS = 15_000;

const wait = (condition: () => boolean) => until(condition, MAX_WAIT_MS);

const hasPayment = ({ run }: Stage, status: string) =>
  wait(() => run.payments.some((one) => one.status === status));

/** The customer has read that the first attempt failed, and pays again. */
async function payAgain({ run, customers }: Stage, times = 1): Promise<boolean> {
  await wait(() => ["failed", "paid"].includes(run.look.shown));
  // A shop may send a rejected request once more by itself: then there is nothing to pay again.
  if (run.look.shown === "paid") return run.case.faults.length > 0;
  if (run.look.shown !== "failed") return false;
  run.clicked();
  await Promise.all(Array.from({ length: times }, () => customers.click(run, { isAgain: true })));
  return true;
}

async function succeedFirst({ scene, run }: Stage): Promise<boolean> {
  const [first] = run.payments;
  if (first?.status !== "failed") return false;
  await succeedLate(scene, run, first);
  return true;
}

/** The customer who is asked again reads the shop's page after this, and then answers. */
async function failFirstAgain({ scene, run }: Stage): Promise<boolean> {
  const [first] = run.payments;
  if (first?.status !== "failed") return false;
  await run.whileWaiting(() => deliverFinal(scene, run, first, "payment.failed"));
  return true;
}

/** A second prompt was sent, which waits for the customer. */
const isAskedAgain = ({ run }: Stage) => wait(() => run.payments.length > 1);

/** What people do after the order, by the act of the case. Resolves with whether they could do it. */
const ACTS: Readonly<Record<Act, (stage: Stage) => Promise<boolean>>> = {
  ...MANAGED,
  // What is wrong shows when the phone rings.
  foreignPhone: async () => true,
  // Both clicks come at once: the order itself is sent twice.
  clicks: async () => true,
  // So do the orders of all customers who want the piece.
  lastPiece: async () => true,
  again: (stage) => payAgain(stage),
  tabs: (stage) => payAgain(stage, 2),
  late: async (stage) => {
    const { run } = stage;
    return (await wait(() => run.look.shown === "failed")) && (await succeedFirst(stage));
  },
  lateWhileWaiting: async (stage) => {
    return (await payAgain(stage)) && (await isAskedAgain(stage)) && (await succeedFirst(stage));
  },
  failedWhileWaiting: async (stage) => {
    return (await payAgain(stage)) && (await isAskedAgain(stage)) && (await failFirstAgain(stage));
  },
  lateAfterPaying: async (stage) => {
    return (
      (await payAgain(stage)) &&
      (await hasPayment(stage, "completed")) &&
      (await succeedFirst(stage))
    );
  },
  phoneMeanwhile: async (stage) =>
    (await wait(() => stage.run.payments.length > 0)) && (await sendOther(stage, "phone")),
  phoneAfterPaying: async (stage) =>
    (await wait(() => stage.run.look.shown === "paid")) && (await sendOther(stage, "phone")),
  amountMeanwhile: async (stage) =>
    (await wait(() => stage.run.payments.length > 0)) && (await sendOther(stage, "amount")),
  amountAfterFailure: async (stage) =>
    (await wait(() => stage.run.look.shown === "failed")) && (await sendOther(stage, "amount")),
};

/** Another customer sends the order with one value changed. */
async function sendOther({ run, customers }: Stage, what: "phone" | "amount"): Promise<boolean> {
  run.clicked();
  await customers.click(run, what === "phone" ? { phone: run.otherPhone } : { amount: 1 });
  return true;
}

/** Lets people do what the case says, beside the first order. */
export async function act(stage: Stage): Promise<void> {
  const { run, scene } = stage;
  const { act: name } = run.case;
  if (name === undefined || !scene.hasFaults) {
    run.hasActed = name === undefined;
    return;
  }
  run.willAlso(name === "lateWhileWaiting" ? "cancels" : "approves");
  run.hasActed = await ACTS[name](stage);
}
