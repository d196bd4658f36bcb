import { only, type Row } from "../../../storage/sql-steps.ts";
import { asOwnEvent, exactText } from "../delivery.ts";
import { notFoundIn } from "../errors.ts";
import type { Lists, NewDelivery } from "../inbox-types.ts";
import type { InboxStatement } from "./inbox-sql.ts";
import type { InboxStore } from "./inbox-store.ts";
import {
  type Decision,
  decideStep,
  doubleValues,
  type ListFilter,
  type ListName,
  pageStep,
  rowStep,
} from "./review.ts";
import { conflictIn, deadLetterIn, deliveryIn, doubleIn } from "./rows.ts";
import { storeSteps } from "./store-group.ts";

/** A thousand events may change at once. */
const CHANGE_TIMEOUT_MS = 30_000;

/** The lists of what waits for a person. @param requeued - Has what was requeued processed. */
export function listsOf(store: InboxStore, requeued: () => void): Lists {
  const { sql } = store;
  const rowOf = async (name: ListName, id: string): Promise<Row> => {
    const [row] = (await store.run(() => only<InboxStatement>(rowStep(sql, name, id)))).rows;
    if (row === undefined) throw notFoundIn(name, id);
    return row;
  };
  const reads = <Item>(name: ListName, itemIn: (row: Row) => Item) => ({
    list: async (filter: ListFilter) => {
      const { rows } = await store.run(() => only<InboxStatement>(pageStep(sql, name, filter)));
      return rows.map(itemIn);
    },
    read: async (id: string) => {
      const row = await rowOf(name, id);
      return { ...itemIn(row), body: exactText(row.raw as Uint8Array) };
    },
  });
  const decide = async (
    name: ListName,
    how: Decision,
    ids: readonly string[],
    deliveries: readonly NewDelivery[],
  ) => {
    await store.transaction(
      function* () {
        // In the order of the ids, so that two calls do not wait for each other.
        for (const id of ids.toSorted()) {
          const { changed } = yield decideStep(sql, name, how, id);
          if (changed === 0) throw notFoundIn(name, id);
        }
        yield* storeSteps(sql, deliveries);
      },
      { timeoutMs: CHANGE_TIMEOUT_MS },
    );
    requeued();
  };
  const changes = (name: ListName, how: Decision) => async (ids: readonly string[]) => {
    // An open conflict never changes: if a person decides meanwhile, it is not found.
    const requeuedIds = name === "conflicts" && how === "requeue" ? ids : [];
    const rows = await Promise.all(requeuedIds.map((id) => rowOf(name, id)));
    await decide(name, how, ids, rows.map(deliveryIn).map(asOwnEvent));
  };
  const events = <Item>(name: ListName, itemIn: (row: Row) => Item) => ({
    ...reads(name, itemIn),
    requeue: changes(name, "requeue"),
    drop: changes(name, "drop"),
  });
  return {
    deadLetters: events("deadLetters", deadLetterIn),
    conflicts: events("conflicts", conflictIn),
    waiting: reads("waiting", deadLetterIn),
    doublePayments: {
      list: reads("doublePayments", doubleIn).list,
      add: async (double) => {
        const added = await store.transaction(() => only(["addDouble", doubleValues(double)]));
        return added.changed === 1;
      },
      drop: changes("doublePayments", "drop"),
    },
  };
}
