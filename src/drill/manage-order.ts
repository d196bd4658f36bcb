// What becomes of an order beside being paid: it is canceled, paid back, or changed, or a part of it is paid by hand.
import type { CaseRun, Scene } from "./case-run.ts";
import type { ManagingAct } from "./cases.ts";
import { deliverFinal, succeedLate } from "./deliver.ts";
import { type Closed, type DrillPayment, dueOf, isPaid } from "./drill-payment.ts";
import { until } from "./machine-pace.ts";
import { CHANGED } from "./promises.ts";
import type { Customers } from "./shop-client.ts";

/** How long people wait for what they expect to see, and for what a shop need not show. */
const MAX_WAIT_MS = 15_000;
const MAX_NEWS_MS = 3_000;
/** By how much an order grows. */
const GROWTH = 50;

/** What people have to do with: the order of a case, its shop, and its customer. */
export interface Stage {
  readonly scene: Scene;
  readonly customers: Customers;
  readonly run: CaseRun;
}

const wait = (condition: () => boolean | Promise<boolean>) => until(condition, MAX_WAIT_MS);
const shows = ({ look }: CaseRun, ...shown: readonly string[]) => shown.includes(look.shown);
const isAsked = ({ run }: Stage) => wait(() => run.payments.length > 0);
const hasFailed = ({ run }: Stage) => wait(() => shows(run, "failed"));
const hasEnded = ({ payments, isAnswering }: CaseRun) =>
  !isAnswering && payments.every(({ status }) => status !== "pending");

/** An employee who clicks twice means it once: a shop may reject the second request, and need not. */
async function decide(customers: Customers, run: CaseRun, route: "cancel" | "refund") {
  const clicks = run.case.act?.endsWith("Twice") ? 2 : 1;
  const all = await Promise.all(Array.from({ length: clicks }, () => customers.manage(run, route)));
  if (all.includes("failed")) return "failed";
  return all.includes("accepted") ? "accepted" : "rejected";
}

/** Cancels the order, or pays it back. It is closed once its page shows so. Resolves with what the shop makes of it. */
async function close({ run, customers }: Stage, how: Closed["how"]) {
  run.isClosing = true;
  const result = await decide(customers, run, how === "canceled" ? "cancel" : "refund");
  run.isClosing = result === "accepted";
  if (result !== "accepted") return result;
  const isShown = async () => {
    await customers.watch(run);
    return shows(run, "failed", "paid");
  };
  await until(isShown, MAX_NEWS_MS);
  // A shop may answer that the customer was faster: then the order is paid.
  const isClosed = how === "refunded" || shows(run, "failed");
  if (isClosed) run.closed = { how, effects: run.look.effects ?? 0 };
  return result;
}

/** A page that was loaded before the order was closed. */
async function clickOldPage({ run, customers, scene }: Stage): Promise<void> {
  run.clicked();
  await customers.click(run, { isAgain: scene.settings.again !== undefined });
  await customers.click(run);
}

async function refund(stage: Stage): Promise<boolean> {
  const { run, scene } = stage;
  const hasGoods = () => shows(run, "paid") && run.look.effects !== 0;
  if (scene.settings.effects !== undefined) await wait(hasGoods);
  if (!(await wait(() => shows(run, "paid")))) return false;
  return (await close(stage, "refunded")) === "accepted";
}

async function refundAndOrder(stage: Stage): Promise<boolean> {
  if (!(await refund(stage))) return false;
  await clickOldPage(stage);
  return true;
}

async function cancelFailed(stage: Stage): Promise<boolean> {
  if (!(await hasFailed(stage))) return false;
  if ((await close(stage, "canceled")) !== "accepted") return false;
  await clickOldPage(stage);
  return true;
}

/** The order grows. Resolves with what the shop makes of it. */
async function grow({ run, customers }: Stage) {
  const price = (run.price ?? run.amount) + GROWTH;
  const result = await customers.manage(run, "update", price);
  if (result === "accepted") run.changedPrice = price;
  return result;
}

/** The customer pays what is left, after a time in which the shop can count what came. */
async function payRest({ run, customers }: Stage, mustAsk: boolean): Promise<boolean> {
  await until(() => shows(run, "paid"), MAX_NEWS_MS);
  if (shows(run, "paid")) return true;
  const { length } = run.payments;
  run.clicked();
  await customers.click(run, { isAgain: true });
  const isOver = await wait(() => run.payments.length > length || shows(run, "paid"));
  if (!isOver && mustAsk) {
    const due = dueOf(run.price ?? 0, run.payments);
    run.blame(
      CHANGED,
      `the customer paid again, and no prompt came for the ${run.money(due)} that is due`,
    );
  }
  return true;
}

/** Money comes with the label that the shop itself has used. */
async function payByHand({ run, scene }: Stage): Promise<boolean> {
  const { client, sandbox } = scene;
  const label = run.payments[0]?.label ?? "";
  if (label === "") {
    run.rejectedRoute = "--part-payments: its prompts have no account_reference, by which one pays";
    return false;
  }
  const amount = Math.floor((run.price ?? run.amount) / 2);
  const phone = run.otherPhone;
  const sent = { phone, amount, account_reference: label };
  const { reference } = await client.mobileMoney.initiate(sent);
  const payment: DrillPayment = {
    ...{ reference, phone, amount, label, due: amount, status: "pending" },
    ...{ isByHand: true, isRepeat: false, afterClickMs: 0 },
  };
  run.payments.push(payment);
  run.note("customer", `pays ${run.money(amount)} by hand, with the label ${label} (${reference})`);
  sandbox.phone(phone).approve();
  const hasHeard = () => run.story.some(({ text }) => text.startsWith("delivered payment.comp"));
  return (await wait(() => isPaid(payment))) && (await wait(hasHeard));
}

/** Resolves with whether people could do it. A shop may reject a change while the phone rings, and nothing else. */
export const MANAGED: Readonly<Record<ManagingAct, (stage: Stage) => Promise<boolean>>> = {
  cancelOpen: cancelFailed,
  cancelTwice: cancelFailed,
  cancelLate: async (stage) => {
    const { run, scene } = stage;
    if (!(await hasFailed(stage))) return false;
    const [first] = run.payments;
    if (first === undefined || !(await wait(() => first.status === "failed"))) return false;
    if ((await close(stage, "canceled")) !== "accepted") return false;
    await succeedLate(scene, run, first);
    return true;
  },
  cancelMeanwhile: async (stage) => {
    return (await isAsked(stage)) && (await close(stage, "canceled")) !== "failed";
  },
  cancelAsPaid: async (stage) => {
    const { run } = stage;
    if (!(await wait(() => run.payments.length > 0 && !run.isAnswering))) return false;
    return (await close(stage, "canceled")) !== "failed";
  },
  refund: async (stage) => {
    const { run, scene } = stage;
    const payment = (await refund(stage)) ? run.payments.find(isPaid) : undefined;
    if (payment === undefined) return false;
    await deliverFinal(scene, run, payment, "payment.completed");
    return true;
  },
  refundAgain: refundAndOrder,
  refundTwice: refundAndOrder,
  updateOpen: async (stage) =>
    (await hasFailed(stage)) && (await grow(stage)) === "accepted" && (await payRest(stage, true)),
  updateMeanwhile: async (stage) => {
    const { run } = stage;
    if (!(await isAsked(stage))) return false;
    const result = await grow(stage);
    if (result === "failed") return false;
    const isAccepted = result === "accepted";
    await wait(() => hasEnded(run));
    await until(() => shows(run, "failed", "paid"), isAccepted ? MAX_NEWS_MS : MAX_WAIT_MS);
    const isDue = !isAccepted && shows(run, "failed");
    if (isDue && (await grow(stage)) !== "accepted") return false;
    return payRest(stage, !isAccepted);
  },
  part: async (stage) =>
    (await hasFailed(stage)) && (await payByHand(stage)) && (await payRest(stage, true)),
  partMeanwhile: async (stage) => {
    // Nobody pays by hand before the shop knows what its own prompt is.
    const isKnown = async () => (await isAsked(stage)) && (await wait(() => stage.run.hasSeenPage));
    if (!(await isKnown()) || !(await payByHand(stage))) return false;
    await wait(() => hasEnded(stage.run));
    return payRest(stage, true);
  },
};
