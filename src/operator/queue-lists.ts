import { sha256Hex } from "#hmac";
import { saidText } from "../checkout/rules/history.ts";
import { sameError } from "../internal/error-text.ts";
import type { Choice, DecisionNote, Entries, Entry, Sources } from "./entry.ts";
import { type EventKindName, findEvent, listEvents } from "./event-entries.ts";
import {
  endOfReview,
  listDoubles,
  listGoods,
  listRejections,
  listReviews,
  listUnknown,
  PAID_ALREADY,
  withOrders,
} from "./money-entries.ts";
import { chooseRefund, type RefundFields } from "./refund-form.ts";
import { messageOf, plural } from "./wording.ts";

/** A list of the page. */
export interface QueueList {
  readonly title: string;
  /** What is on it. */
  readonly hint: string;
  /** What a person does about one of it. */
  readonly todo: string;
  /** Whether equal causes are shown together. */
  readonly isGrouped?: boolean;
  /** The oldest first, without the bodies of events. */
  read(sources: Sources, limit: number): Promise<Entries>;
  /** One of them. Rejects if it is not there. */
  find(sources: Sources, id: string): Promise<Entry>;
}

/** How many entries one list has at most. */
export const MAX_ENTRIES = 10_000;

type Read = QueueList["read"];

const reviewsOf =
  (list: string): Read =>
  (sources) =>
    listReviews(sources, list);

/** A list of everything that the sources have, the oldest first. A source that fails does not hide the others. */
const joined = (...reads: readonly Read[]): Pick<QueueList, "read" | "find"> => {
  const read: Read = async (sources, limit) => {
    const ended = await Promise.allSettled(reads.map((one) => one(sources, limit)));
    const pages = ended.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    const [failure] = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (pages.length === 0) throw failure;
    const entries = pages.flatMap((page) => page.entries).sort((a, b) => a.at - b.at);
    const problem = failure === undefined ? undefined : messageOf(failure);
    const hasMore =
      problem !== undefined || entries.length > limit || pages.some((page) => page.hasMore);
    return { entries: entries.slice(0, limit), hasMore, problem };
  };
  return {
    read,
    find: async (sources, id) => {
      const { entries } = await read(sources, MAX_ENTRIES);
      const found = entries.find((one) => one.id === id);
      if (found === undefined) {
        throw (await endOfReview(sources, id)) ?? new Error("It does not wait any more.");
      }
      return found;
    },
  };
};

const events = (name: EventKindName): Pick<QueueList, "read" | "find" | "isGrouped"> => ({
  isGrouped: true,
  read: (sources, limit) => listEvents(name, sources, limit),
  find: (sources, id) => findEvent(name, sources, id),
});

/** What waits for a person, money first. */
export const LISTS: Readonly<Record<string, QueueList>> = {
  twice: {
    title: "Paid twice",
    hint: "Two payments of one order, or with one transaction.",
    todo: "Pay one of the two back, if it is the same customer and the same order.",
    ...joined(reviewsOf("twice"), listDoubles),
  },
  amount: {
    title: "Another amount",
    hint: "A payment has another amount or currency than its order.",
    todo: "Give the goods, or pay the money back.",
    ...joined(reviewsOf("amount")),
  },
  late: {
    title: "Late or unclear money",
    hint: "Money for an order that is over, for no order, or with payment updates that contradict each other.",
    todo: "Read the payment, then decide.",
    ...joined(reviewsOf("late")),
  },
  refunds: {
    title: "Money to pay back",
    hint: "The goods of these orders cannot be handed over, or the orders were canceled before the money came.",
    todo: "Pay the money back in the dashboard of the payment service, then say so here.",
    ...joined(reviewsOf("refunds")),
  },
  unknown: {
    title: "Unknown requests",
    hint: "It is not known whether these requests started a payment.",
    todo: "Look for the payment at the payment service, and say what became of it.",
    ...joined(listUnknown),
  },
  goods: {
    title: "Goods that are due",
    hint: "These orders are paid, and their goods were not given yet.",
    todo: "Look again in five minutes. If the order is still here, tell the person who runs the system.",
    ...joined(reviewsOf("goods"), listGoods),
  },
  rejected: {
    title: "Rejected requests",
    hint: "The payment service rejected the requests for these orders of the last day, and not because of the phone number.",
    todo: "Fix the cause: the key, its scopes, the address or the amount that the payment service allows. The customer can then try again.",
    isGrouped: true,
    ...joined(listRejections),
  },
  failing: {
    title: "Failing now",
    hint: "The handler threw an error. These events are tried again automatically.",
    todo: "Fix the handler. Nothing else is to be done.",
    ...events("failing"),
  },
  conflicts: {
    title: "Conflicts",
    hint: "The payment service sent an event a second time with other data. The second version was not processed.",
    todo: "Compare the two versions with the payment at the payment service.",
    ...events("conflicts"),
  },
  dead: {
    title: "All attempts failed",
    hint: "The handler failed every time. These events are not tried again.",
    todo: "Fix the handler, then process them again.",
    ...events("dead"),
  },
  tooOld: {
    title: "Too old, never tried",
    hint: "These events are older than the inbox remembers. They were not processed, since they may be replays.",
    todo: "Drop replays. Process an event whose order is open.",
    ...events("tooOld"),
  },
};

/** Entries with the same cause. */
export interface Group {
  /** It names the group in an address. */
  readonly key: string;
  readonly cause: string;
  readonly entries: readonly Entry[];
}

/** The groups of a list, the largest first. */
export function groupsOf(entries: readonly Entry[]): Group[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const same = sameError(entry.cause);
    const group = groups.get(same);
    if (group === undefined) groups.set(same, [entry]);
    else group.push(entry);
  }
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([same, own]) => {
      const [cause = "", other] = new Set(own.map((one) => one.cause));
      const key = sha256Hex(same).slice(0, 16);
      return { key, cause: other === undefined ? cause : same, entries: own };
    });
}

/** What a person decides about: one entry, or all entries of a group up to a time. */
export interface Target {
  readonly list: string;
  readonly action: string;
  readonly id?: string | undefined;
  readonly group?: string | undefined;
  readonly until?: number | undefined;
  /** Of money of the order `id` that a person has paid back. */
  readonly refund?: RefundFields | undefined;
  /** What the person says with the decision of a review. */
  readonly note?: DecisionNote | undefined;
}

/** A decision that is possible now. */
export interface Chosen {
  readonly choice: Choice;
  readonly ids: readonly string[];
  /** What it is about. */
  readonly about: string;
  readonly orderId?: string | undefined;
  /** The reference of the payment. */
  readonly payment?: string | undefined;
}

/** A form may name anything, such as what every object inherits. */
export const listNamed = (name: string): QueueList | undefined =>
  Object.hasOwn(LISTS, name) ? LISTS[name] : undefined;

function aboutEntry({ known, came = known?.amount, cause, orderId }: Entry): string {
  const isOther = orderId !== undefined && came !== known?.amount;
  const amount = isOther ? `${came} of ${known?.amount}` : came;
  const names = [known?.order, amount, known?.references[0], known?.code];
  return names.filter(Boolean).join(", ") || cause;
}

/** A decision with what the person says: it is stored with it. */
const withNote = (choice: Choice, note: DecisionNote = {}): Choice => ({
  ...choice,
  done: (count) => choice.done(count) + saidText(note),
  run: (ids, by, line) => choice.run(ids, by, line, note),
});

/**
 * What a form asks for, as far as it is offered now; `undefined` if there is no such action. Rejects if the
 * entry does not wait any more.
 */
export async function choose(sources: Sources, target: Target): Promise<Chosen | undefined> {
  const { list: name, action, id, group, until, refund, note } = target;
  if (refund !== undefined) return chooseRefund(sources, id ?? "", refund);
  const list = listNamed(name);
  if (list === undefined || action === "" || (id ?? group ?? "") === "") return undefined;
  if (id !== undefined) {
    // What is decided is stored with its order: a record that names none says nothing.
    const found = await list.find(sources, id);
    const [entry] = await withOrders(sources, [found]);
    if (entry === undefined) return undefined;
    const named = (one: Choice) => one.action === action;
    const choice = entry.choices.find(named);
    // The order was paid since the page was shown.
    if (choice === undefined && found.choices.some(named)) throw new Error(PAID_ALREADY);
    const { orderId, about = [] } = entry;
    const subject = { about: aboutEntry(entry), orderId, payment: about.at(-1) };
    return choice && { choice: withNote(choice, note), ids: [id], ...subject };
  }
  if (list.isGrouped !== true) return undefined;
  const { entries } = await list.read(sources, MAX_ENTRIES);
  const seen = entries.filter(({ at }) => at <= (until ?? 0));
  const found = groupsOf(seen).find(({ key }) => key === group);
  if (found === undefined) throw new Error("These events do not wait any more.");
  const choice = found.entries[0]?.choices.find((one) => one.action === action);
  const about = `${list.title}, ${plural(found.entries.length, "event")}: ${found.cause}`;
  return choice && { choice, ids: found.entries.map((one) => one.id), about };
}
