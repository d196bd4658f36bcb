import type { Db } from "pg-boss";
import type { ConfigurationError } from "../../../errors/configuration.ts";
import { asOwnEvent } from "../conflicts.ts";
import { conflictNotFound, deadLetterNotFound, doubleNotFound } from "../errors.ts";
import type { Conflict, DeadLetter, EventList } from "../event-list.ts";
import {
  conflictIn,
  deadLetterIn,
  deliveryIn,
  doubleIn,
  hexOf,
  type LedgerRow,
  withBody,
} from "../ledger/rows.ts";
import type { Statement } from "../ledger/statements.ts";
import type { DoublePaymentList } from "../types.ts";
import { rows } from "./ledger.ts";
import type { QueuedEvent } from "./queues.ts";
import type { Store } from "./store.ts";

/** A thousand events may change at once. */
const CHANGE_TIMEOUT_MS = 30_000;

type NotFound = (id: string) => ConfigurationError;

/** What waits for a person in an inbox. */
export interface Lists {
  readonly deadLetters: EventList<DeadLetter>;
  readonly conflicts: EventList<Conflict>;
  readonly doublePayments: DoublePaymentList;
}

const select = (db: Db, { text, values }: Statement) => rows(db, text, [...values]);

/** Runs a statement that changes a row, or throws. */
async function change(
  db: Db,
  { text, values }: Statement,
  id: string,
  notFound: NotFound,
): Promise<LedgerRow> {
  const [row] = await rows(db, `${text} RETURNING *`, [...values]);
  if (row === undefined) throw notFound(id);
  return row;
}

/** @param query - Runs statements in one transaction. */
export function listsOf(
  store: Store,
  query: Store["transaction"],
  notify: (kind: string) => void,
): Lists {
  const { statements } = store.ledger;
  const read = async (statement: Statement, id: string, notFound: NotFound) => {
    const [row] = await query((db) => select(db, statement));
    if (row === undefined) throw notFound(id);
    return row;
  };
  /** In one transaction: all of them, or none. In the order of the ids, so that two calls do not deadlock. */
  const each = async (
    ids: readonly string[],
    run: (db: Db, id: string) => Promise<unknown>,
    end: (db: Db) => Promise<void> = async () => {},
  ) => {
    if (ids.length === 0) return;
    await query(async (db) => {
      for (const id of [...ids].sort()) await run(db, id);
      await end(db);
    }, CHANGE_TIMEOUT_MS);
  };
  const requeue = async (
    ids: readonly string[],
    run: (db: Db, id: string) => Promise<QueuedEvent | undefined>,
  ) => {
    const events: QueuedEvent[] = [];
    await each(
      ids,
      async (db, id) => events.push(...[(await run(db, id)) ?? []].flat()),
      (db) => store.addJobs(db, events),
    );
    for (const { event } of events) notify(event);
  };

  return {
    deadLetters: {
      list: async (filter) =>
        (await query((db) => select(db, statements.deadLetters(filter)))).map(deadLetterIn),
      read: async (id) => {
        const row = await read(statements.deadLetter(id), id, deadLetterNotFound);
        return withBody(deadLetterIn(row), row);
      },
      requeue: (ids) =>
        requeue(ids, async (db, id) => {
          const due = ", due_at = (extract(epoch FROM now()) * 1000)::bigint";
          const row = await change(db, statements.requeueDead(id, due), id, deadLetterNotFound);
          return { key: hexOf(row.key), event: String(row.kind) };
        }),
      drop: (ids) =>
        each(ids, (db, id) => change(db, statements.dropDead(id), id, deadLetterNotFound)),
    },
    conflicts: {
      list: async (filter) =>
        (await query((db) => select(db, statements.conflicts(filter)))).map(conflictIn),
      read: async (id) => {
        const row = await read(statements.conflict(id), id, conflictNotFound);
        return withBody(conflictIn(row), row);
      },
      requeue: (ids) =>
        requeue(ids, async (db, id) => {
          const [row] = await select(db, statements.conflict(id));
          if (row === undefined) throw conflictNotFound(id);
          await change(db, statements.decideConflict(id), id, conflictNotFound);
          const own = asOwnEvent(deliveryIn(row));
          return (await store.ledger.insert(db, [own])).size === 1 ? own : undefined;
        }),
      drop: (ids) =>
        each(ids, (db, id) => change(db, statements.decideConflict(id), id, conflictNotFound)),
    },
    doublePayments: {
      add: async (double) => {
        const { text, values } = statements.addDouble(double);
        return (await query((db) => rows(db, `${text} RETURNING 1`, [...values]))).length === 1;
      },
      list: async (filter) =>
        (await query((db) => select(db, statements.doubles(filter)))).map(doubleIn),
      drop: (ids) =>
        each(ids, (db, id) => change(db, statements.dropDouble(id), id, doubleNotFound)),
    },
  };
}
