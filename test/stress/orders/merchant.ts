// What the merchant and strangers do with an order, beside its customer: cancel it, change it, pay it by hand, pay it back.
import { setTimeout as sleep } from "node:timers/promises";
import { Gateway } from "malipo";
import type { ManagedOrders } from "malipo/checkout";
import type { WorkerProcess } from "../harness/processes.ts";
import type { Random } from "../harness/random.ts";
import type { Stage } from "../harness/stage.ts";
import { historyTime } from "../harness/waits.ts";
import type { OrderHistory } from "./history.ts";
import type { AmountChange, Jobs, RefundNote } from "./messages.ts";
import { handPhone, type Part, type PlannedOrder } from "./plan.ts";

/** What the people of a shop work with. */
export interface Office {
  /** Reads and cancels, without a process of the shop. */
  readonly orders: ManagedOrders;
  readonly stage: Stage<PlannedOrder, Jobs>;
  readonly history: OrderHistory;
  readonly random: Random;
}

/** Who does something at the same moment in two processes. */
export const PEOPLE = ["ANNE", "BEN"] as const;

/** How long the merchant goes on to cancel an order: the engine may be away. */
const MAX_CANCEL_MS = 20_000;
/** How long someone who has paid by hand waits for the shop to know. */
const MAX_COUNT_MS = 4_000;

/** A process that does not stand at its point. */
export const awake = ({ stage }: Office): readonly WorkerProcess<Jobs>[] =>
  stage.pool.processes.filter(({ who }) => !stage.incidents.isStanding(who));

/** Two processes that do not stand at their points. */
export function twoAwake(office: Office): readonly WorkerProcess<Jobs>[] {
  const first = office.random.pick(awake(office));
  const others = awake(office).filter((one) => one !== first);
  return others.length === 0 ? [] : [first, office.random.pick(others)];
}

export async function cancel(
  { orders, history }: Office,
  { id, cancelsFor: reason }: PlannedOrder,
): Promise<void> {
  for (const end = Date.now() + MAX_CANCEL_MS; Date.now() < end; await sleep(50)) {
    const order = await orders.cancel(id, { reason }).catch(() => undefined);
    if (order === undefined) continue;
    if (order.status === "canceled") history.note("campaign", { what: "canceled", order: id });
    return;
  }
}

/** Asks for another amount of an order. */
export async function update(office: Office, { id, amount }: AmountChange): Promise<void> {
  const shop = office.random.pick(awake(office));
  const { outcome = "failed" } = (await shop?.run("update", { id, amount })) ?? {};
  office.history.note("campaign", { what: "updated", order: id, amount, outcome });
}

/** Whether an order has the amount that its merchant wants, or is to have no other. */
export const isUpdated = ({ history }: Office, { id, becomes }: PlannedOrder): boolean =>
  becomes === undefined ||
  history.all("updated").some(({ order, outcome }) => order === id && outcome === "won");

async function payPart(office: Office, order: PlannedOrder, part: Part, at: number): Promise<void> {
  const { stage, history } = office;
  const { sandbox, ledger } = stage.service;
  const { id } = order;
  const phone = handPhone(id, at);
  const label = part.isTyped ? id.toLowerCase().replace("-", " ") : id;
  const { fetch, baseUrl, keys } = sandbox;
  const gateway = new Gateway({
    ...{ apiKey: keys.secret, baseUrl, fetch },
    ...{ maxRetries: 0, timeoutMs: 1_000 },
  });
  const made = () =>
    ledger().find((one) => one.phone === phone && one.account_reference === label)?.reference;
  let reference = made();
  // The faults of the service are for everyone.
  for (; reference === undefined; reference = made()) {
    const { amount } = part;
    await gateway.mobileMoney.initiate({ amount, phone, account_reference: label }).catch(() => {});
  }
  const since = historyTime();
  history.note("campaign", { what: "by_hand", order: id, reference, when: part.when });
  sandbox.phone(phone).approve();
  const isKnown = history.first(
    since,
    (event) => event.what === "changed" && event.money.includes(reference),
  );
  await Promise.race([isKnown, sleep(MAX_COUNT_MS, undefined, { ref: false })]);
}

/** Pays the parts of an order that come at this moment, one after the other. */
export async function payByHand(
  office: Office,
  order: PlannedOrder,
  when: Part["when"],
): Promise<void> {
  for (const [at, part] of order.byHand.entries()) {
    if (part.when === when) await payPart(office, order, part, at);
  }
}

async function noteRefund(office: Office, refund: Omit<RefundNote, "by">): Promise<void> {
  const shops = twoAwake(office);
  const outcomes = await Promise.all(
    shops.map(async (shop, at) => {
      const answer = await shop.run("refund", { ...refund, by: PEOPLE[at] ?? "" });
      return answer?.outcome ?? "failed";
    }),
  );
  const { id: order, ...noted } = refund;
  office.history.note("campaign", { what: "refund", order, ...noted, outcomes });
}

/**
 * Notes the refunds of paid orders, all of an order at the same moment, each in two processes. Resolves with whether
 * there was one. It is noted again as long as it is not known what became of it.
 */
export async function payBackAll(office: Office): Promise<boolean> {
  const { stage, history, orders } = office;
  const ended = new Set(
    history
      .all("refund")
      .filter(({ outcomes }) => outcomes.some((one) => one !== "failed"))
      .map(({ order, reference }) => `${order} ${reference}`),
  );
  const working = [...stage.orders.values()].map(async (planned) => {
    const { id } = planned;
    const left = planned.refunds
      .map((amount, at) => ({ id, amount, reference: `PAID-BACK-${at}` }))
      .filter(({ reference }) => !ended.has(`${id} ${reference}`));
    if (left.length === 0 || (await orders.get(id))?.status !== "paid") return false;
    const isLate = !history
      .all("by_hand")
      .some(({ order, when }) => order === id && when === "after");
    await Promise.all([
      ...left.map((refund) => noteRefund(office, refund)),
      ...(isLate ? [payByHand(office, planned, "after")] : []),
    ]);
    return true;
  });
  return (await Promise.all(working)).some(Boolean);
}
