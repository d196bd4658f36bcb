// Orders in a database, whatever the database is: the room for storage knows its words, its connections and its
// transactions.
import type { Tables } from "../../storage/room.ts";
import { rolledBack } from "../../storage/transaction-end.ts";
import type { CheckoutStore, Committed } from "./checkout-store.ts";
import {
  addDecisionSteps,
  byPhoneSteps,
  checkWrittenSteps,
  commitSteps,
  decisionsSteps,
  dueSteps,
  keepSteps,
  labelledSteps,
  listSteps,
  orderOfSteps,
  readSteps,
  resolveSteps,
  strayStateSteps,
  unmatchedSteps,
} from "./order-steps.ts";
import type { OrderStatement } from "./tables.ts";

/** What stands beside the orders in the same database, and its life. */
export type StoreParts = Pick<CheckoutStore, "idempotency" | "inbox" | "sql" | "open" | "close">;

const isDone = ({ state }: Committed): boolean => state === "done";

/** How a change is written: alone, in a transaction of the merchant, or together with what his code writes. */
const commitIn =
  <Connection>(tables: Tables<OrderStatement, Connection>): CheckoutStore<Connection>["commit"] =>
  async (write, { transaction, work, then, isAsync = false, ...goods } = {}) => {
    const steps = () => commitSteps(write);
    if (transaction !== undefined) return tables.within(transaction, steps);
    if (work === undefined) return tables.transaction(steps, { isKept: isDone });
    let last = write;
    function* end() {
      yield* checkWrittenSteps(write);
      const next = then?.();
      if (next === undefined) return;
      const { state } = yield* commitSteps(next);
      if (state !== "done") throw rolledBack("onPaid");
      last = next;
    }
    const done = await tables.together({
      ...goods,
      before: steps,
      isReady: isDone,
      // A database that takes no async function sees that it is one.
      work: isAsync ? async (connection) => work(connection) : work,
      after: end,
      seen: () => checkWrittenSteps(last),
      caller: "onPaid",
    });
    return done.before;
  };

/** A store of orders. @param tables - Those of `ORDERS` in a database. */
export function sqlCheckout<Connection>(
  tables: Tables<OrderStatement, Connection>,
  { open, ...parts }: StoreParts,
): CheckoutStore<Connection> {
  return {
    ...parts,
    open: async () => {
      await tables.open();
      await open();
    },
    read: (id, transaction, isMadeSince) => {
      const steps = () => readSteps(id, isMadeSince);
      return transaction === undefined ? tables.run(steps) : tables.within(transaction, steps);
    },
    orderOf: (names) => tables.run(() => orderOfSteps(names)),
    labelled: (labels) => tables.run(() => labelledSteps(labels)),
    commit: commitIn(tables),
    due: (count) => tables.run(() => dueSteps(count)),
    list: (query) => tables.run(() => listSteps(query)),
    byPhone: (...asked) => tables.run(() => byPhoneSteps(...asked)),
    keep: (...kept) => tables.transaction(() => keepSteps(...kept)),
    unmatched: (count) => tables.run(() => unmatchedSteps(count)),
    resolve: (...decided) => tables.transaction(() => resolveSteps(...decided)),
    strayOf: (reference) => tables.run(() => strayStateSteps(reference)),
    addDecision: (line) => tables.transaction(() => addDecisionSteps(line)),
    decisions: (count) => tables.run(() => decisionsSteps(count)),
  };
}
