import { notFoundIn } from "../errors.ts";
import { listsOf } from "../ledger/lists.ts";
import { hexOf } from "../ledger/rows.ts";
import type { Lists } from "../types.ts";
import type { Store } from "./store.ts";
import { rows } from "./tables.ts";

/** A thousand events may change at once. */
const CHANGE_TIMEOUT_MS = 30_000;

/**
 * The lists of what waits for a person.
 *
 * @param query - Runs statements in one transaction.
 * @param notify - Has the events of a kind processed.
 */
export const pgLists = (
  store: Store,
  query: Store["transaction"],
  notify: (kind: string) => void,
): Lists =>
  listsOf({
    statements: store.ledger.statements,
    read: ({ text, values }) => query((db) => rows(db, text, [...values])),
    insert: async ({ text, values }) =>
      (await query((db) => rows(db, `${text} RETURNING 1`, [...values]))).length === 1,
    decide: async (name, how, ids, deliveries) => {
      const due = await query(async (db) => {
        const events = [];
        // In the order of the ids, so that two calls do not deadlock.
        for (const id of [...ids].sort()) {
          const { text, values } = store.ledger.statements.decide(name, how, id);
          const [row] = await rows(db, `${text} RETURNING *`, [...values]);
          if (row === undefined) throw notFoundIn(name, id);
          if (row.state === "pending")
            events.push({ key: hexOf(row.key), event: String(row.kind) });
        }
        const stored = await store.ledger.insert(db, deliveries);
        events.push(...deliveries.filter(({ key }) => stored.has(key)));
        await store.addJobs(db, events);
        return events;
      }, CHANGE_TIMEOUT_MS);
      for (const { event } of due) notify(event);
    },
  });
