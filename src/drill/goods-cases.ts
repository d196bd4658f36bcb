// What goes wrong while the goods of an order are given: a row a case.
import type { DrillCase } from "./cases.ts";
import { NOT_GIVEN } from "./drill-options.ts";
import type { ShopPromise } from "./promises.ts";

/** What happens to the first try of `onPaid`. */
export type GoodsFault =
  | "none"
  | "statement"
  | "rollback"
  | "connection"
  | "killBefore"
  | "killAfter"
  | "killReturned"
  | "killDone"
  | "throws"
  | "stop"
  | "twoProcesses"
  | "twice"
  | "threeOrders";

/** What a fault needs of `onPaid`: the dry run shows whether it is there. */
export type GoodsNeed = "transaction" | "statements" | "server";

type Row = readonly [kind: GoodsFault, text: string, cause: string, needs?: GoodsNeed];

const ELSEWHERE =
  "goods that are written by another connection than that of transaction: a second try writes them again";

// biome-ignore format: a fault a line
const ROWS: readonly Row[] = [
  ["none", "nothing goes wrong", "a statement that never runs, a write that onPaid does not wait for, transaction used twice, or a COMMIT of its own"],
  ["threeOrders", "three orders are paid at the same moment", "a variable outside onPaid that the next order overwrites"],
  ["twoProcesses", "two processes get the payment at the same moment", ELSEWHERE],
  ["twice", "the webhook comes a second time", ELSEWHERE],
  ["statement", "statement {at} of the transaction fails once", "a catch around a statement: the transaction commits without it", "statements"],
  ["rollback", "the transaction fails once, after its last statement", ELSEWHERE, "transaction"],
  ["connection", "the connection to the database is lost before COMMIT", ELSEWHERE, "server"],
  ["throws", "an error is thrown once, after the last line of onPaid", ELSEWHERE],
  ["killDone", "the process ends as soon as the order says done", "a write that onPaid does not wait for: an await is missing"],
  ["killAfter", "the process ends after COMMIT", "goods that are written after the transaction and not in it", "transaction"],
  ["killReturned", "the process ends as soon as onPaid has returned", ELSEWHERE],
  ["killBefore", "the process ends before COMMIT", ELSEWHERE, "transaction"],
  ["stop", "the process stops as onPaid begins, another one gives the goods, and it goes on", ELSEWHERE],
];

/** A row whose cause, numbers and words are known. */
export interface GoodsCase extends DrillCase {
  readonly kind: GoodsFault;
  readonly cause: string;
  readonly needs?: GoodsNeed | undefined;
  /** Which statement of the transaction fails, from 1. */
  readonly at: number;
}

/** Statements beyond these are not made to fail. */
const MAX_STATEMENTS = 8;
export const MAX_GOODS_CASES = ROWS.length + MAX_STATEMENTS - 1;

/** @param statements - How many `onPaid` runs by the connection of `transaction`. */
export function goodsCases(statements: number): GoodsCase[] {
  const group = { group: "goods", customer: "approves", faults: [] } as const;
  const all = ROWS.flatMap(([kind, text, cause, needs]) => {
    const times = needs === "statements" ? Math.max(1, Math.min(statements, MAX_STATEMENTS)) : 1;
    return Array.from({ length: times }, (_, index) => {
      const words = text.replace("{at}", `${index + 1}`).replace(/^./, (one) => one.toUpperCase());
      return { ...group, kind, cause, needs, text: words, at: index + 1 };
    });
  });
  return all.map((one, index) => ({ ...one, number: index + 1 }));
}

/** What is known about an `onPaid` and its store, from a try without faults. */
export interface GoodsTraits {
  usesTransaction: boolean;
  /** How many statements it ran by the connection of `transaction`. */
  statements: number;
  /** The drill can end its connection. */
  isServer: boolean;
  /** Its database is a file: no connection can be lost. */
  isFile: boolean;
}

/** Why a case of a fault is not run; `undefined` if it is. */
export function whyNoFault(need: GoodsNeed | undefined, traits: GoodsTraits): string | undefined {
  if (need === undefined) return undefined;
  if (!traits.usesTransaction) return "onPaid does not use transaction";
  if (need === "statements") return traits.statements > 0 ? undefined : NOT_GIVEN.statements[0];
  if (need === "transaction" || traits.isServer) return undefined;
  return traits.isFile ? "its database is a file" : NOT_GIVEN.connection[0];
}

/** What became of an order. */
export interface GoodsEnd {
  readonly goods: number;
  /** `effect` of the order. */
  readonly effect: string;
  readonly reviews: readonly string[];
}

const PAGE = "concepts/on-paid";

/** What `onPaid` must keep, whatever goes wrong. */
export const GOODS_PROMISES: readonly (ShopPromise & {
  readonly describe: (end: GoodsEnd) => string | false;
})[] = [
  {
    name: "a paid order gives its goods once",
    harm: "got the goods twice",
    cause: ELSEWHERE,
    remedy:
      'Write the goods by the connection that transaction passes on: they and "done" commit together. What is elsewhere needs order.id as its idempotency key, or a unique column.',
    page: PAGE,
    describe: ({ goods }) => goods > 1 && `the customer has the goods ${goods} times`,
  },
  {
    name: "a paid order ends with its goods, and says done",
    harm: "paid and got nothing, or has goods of which the order does not know",
    cause: "an error that is caught, or a write that nothing waits for",
    remedy:
      "Let errors pass: onPaid is called again. Await each write. A further try must do no harm if the one before has written something.",
    page: PAGE,
    describe: ({ goods, effect }) => {
      if (effect === "done")
        return goods === 0 && "the order says done, and the customer has nothing";
      const has = goods === 0 ? "nothing" : "the goods";
      return `the order says ${effect} at the end, and the customer has ${has}`;
    },
  },
  {
    name: "no order needs a person to look at its goods",
    cause: "a COMMIT or ROLLBACK of its own, or transaction used twice",
    remedy:
      "Use transaction once in a try, with all writes in it, and never end it yourself: return to commit, throw to roll back.",
    page: PAGE,
    describe: ({ reviews }) =>
      reviews.length > 0 && `the review ${reviews.join(", ")} asks a person to look`,
  },
];
