import { setTimeout as sleep } from "node:timers/promises";
import type { OrderRecord } from "./check.ts";
import { createDesk, type Desk } from "./desk.ts";
import type { Answer, Reply } from "./messages.ts";
import type { Order } from "./plan.ts";
import type { Pool } from "./pool.ts";

/** An order in the shop's book, which outlives its workers. */
interface Entry {
  readonly order: Order;
  readonly answers: Answer[];
  readonly broken: string[];
  /** Reference of a payment that is not settled yet. */
  pending?: string;
  asked: Answer | string;
}

/** The shop: takes orders, and does not rest until it knows how each ended. */
export interface Shop {
  /** Sells; resolves when each order has an answer, or a payment that is pending. */
  sell(onBegin: (count: number) => void): Promise<void>;
  /** Reads the pending ones until each has its answer. */
  reconcile(): Promise<void>;
  /** Asks once more for every order, by the same key. */
  askAgain(): Promise<void>;
  records(): OrderRecord[];
  readonly looks: Desk["counts"];
  readonly counts: { readonly clicks: number; readonly reconciled: number };
  /** How often each failure was seen, by its code. */
  readonly failures: ReadonlyMap<string, number>;
}

/** How many orders are under way at once, and how far apart customers come. */
const AT_ONCE = 200;
const ARRIVAL_MS = 8;

async function eachOf<T>(
  list: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = list.values();
  const hand = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
}

export function createShop(orders: readonly Order[], pool: Pool, signal: AbortSignal): Shop {
  const book = orders.map((order): Entry => ({ order, answers: [], broken: [], asked: "" }));
  const desk = createDesk(pool, signal);
  const counts = { clicks: 0, reconciled: 0 };
  const failures = new Map<string, number>();
  let turn = 0;

  /** Writes a reply into the book. */
  function note(entry: Entry, reply: Reply | undefined): void {
    if (reply === undefined) return;
    if (reply.end === "settled") entry.answers.push(reply.answer);
    if (reply.end === "pending") entry.pending = reply.reference;
    if (reply.end === "broken") entry.broken.push(reply.what);
    const code = "code" in reply ? reply.code : reply.end === "pending" ? "payment_pending" : "";
    if (code !== "") failures.set(code, (failures.get(code) ?? 0) + 1);
  }

  async function serve(entry: Entry): Promise<void> {
    const { order, answers, broken } = entry;
    while (!signal.aborted && broken.length === 0) {
      counts.clicks += order.clicks.length;
      const replies = await Promise.all(order.clicks.map((at) => pool.run(at, "pay", order)));
      for (const reply of replies) note(entry, reply);
      if (answers.length > 0 || entry.pending !== undefined) return;
      if (replies.some((reply) => reply?.end === "unknown")) await desk.look(order);
      else await sleep(100);
    }
  }

  /** Asks once more. A machine that is busy may take longer than the wait. */
  async function answerTo(order: Order): Promise<Answer | string> {
    while (!signal.aborted) {
      const reply = await pool.run(turn++, "ask", order);
      if (reply?.end === "settled") return reply.answer;
      if (reply?.end === "unknown" || reply?.end === "broken") return JSON.stringify(reply);
      await sleep(100);
    }
    return "the time was over";
  }

  return {
    counts,
    failures,
    looks: desk.counts,
    sell: async (onBegin) => {
      let begun = 0;
      let door = Promise.resolve();
      await eachOf(book, AT_ONCE, async (entry) => {
        door = door.then(() => sleep(ARRIVAL_MS));
        await door;
        onBegin(++begun);
        await serve(entry);
      });
    },
    reconcile: async () => {
      while (!signal.aborted) {
        const open = book.filter(({ answers, pending }) => answers.length === 0 && pending);
        if (open.length === 0) return;
        const references = open.map(({ pending = "" }) => pending);
        const found = await pool.run(turn++, "reconcile", references);
        for (const answer of found ?? []) {
          open.find(({ pending }) => pending === answer.reference)?.answers.push(answer);
          counts.reconciled++;
        }
        if ((found?.length ?? 0) < open.length) await sleep(200);
      }
    },
    askAgain: () =>
      eachOf(book, AT_ONCE, async (entry) => {
        entry.asked = await answerTo(entry.order);
      }),
    records: () =>
      book.map(({ order: { id }, answers, asked, broken }) => ({ id, answers, asked, broken })),
  };
}
