import type { ConfigurationError } from "../../../errors/configuration.ts";
import { asOwnEvent, exactText } from "../delivery.ts";
import {
  conflictNotFound,
  deadLetterNotFound,
  doubleNotFound,
  waitingNotFound,
} from "../errors.ts";
import type { EventFilter } from "../event-list.ts";
import type { Inbox, NewDelivery } from "../types.ts";
import { conflictIn, deadLetterIn, deliveryIn, doubleIn, type LedgerRow } from "./rows.ts";
import type { LedgerStatements, ListName, Statement } from "./statements.ts";

type NotFound = (id: string) => ConfigurationError;

/** How the lists reach the tables. */
export interface LedgerAccess {
  readonly statements: LedgerStatements;
  /** Resolves with the rows. */
  read(statement: () => Statement): Promise<LedgerRow[]>;
  /** Resolves with whether a row is new. */
  insert(statement: () => Statement): Promise<boolean>;
  /**
   * Changes a row for each id, and stores events, in one transaction. If there is no row, it rejects with
   * `notFound`, and nothing has changed. What waits now is processed.
   */
  change(
    ids: readonly string[],
    statement: (id: string) => Statement,
    notFound: NotFound,
    events?: readonly NewDelivery[],
  ): Promise<void>;
}

/** The lists of what waits for a person. */
export function listsOf({
  statements,
  read,
  insert,
  change,
}: LedgerAccess): Required<
  Pick<Inbox, "deadLetters" | "conflicts" | "doublePayments" | "waiting">
> {
  const rowOf = async (name: ListName, id: string, notFound: NotFound) => {
    const [row] = await read(() => statements.row(name, id));
    if (row === undefined) throw notFound(id);
    return row;
  };
  const reads = <Item>(name: ListName, itemIn: (row: LedgerRow) => Item, notFound: NotFound) => ({
    list: async (filter: EventFilter & { readonly isRetrying?: boolean }) =>
      (await read(() => statements.page(name, filter))).map(itemIn),
    read: async (id: string) => {
      const row = await rowOf(name, id, notFound);
      return { ...itemIn(row), body: exactText(row.raw as Uint8Array) };
    },
  });
  const decide = (ids: readonly string[], events: readonly NewDelivery[] = []) =>
    change(ids, (id) => statements.decideConflict(id), conflictNotFound, events);
  const doubles = reads("doublePayments", doubleIn, doubleNotFound);
  return {
    deadLetters: {
      ...reads("deadLetters", deadLetterIn, deadLetterNotFound),
      requeue: (ids) => change(ids, (id) => statements.requeueDead(id), deadLetterNotFound),
      drop: (ids) => change(ids, (id) => statements.dropDead(id), deadLetterNotFound),
    },
    conflicts: {
      ...reads("conflicts", conflictIn, conflictNotFound),
      requeue: async (ids) => {
        // An open conflict never changes: if a person decides meanwhile, it is not found.
        const rows = ids.map((id) => rowOf("conflicts", id, conflictNotFound));
        await decide(ids, (await Promise.all(rows)).map(deliveryIn).map(asOwnEvent));
      },
      drop: (ids) => decide(ids),
    },
    waiting: reads("waiting", deadLetterIn, waitingNotFound),
    doublePayments: {
      list: (filter) => doubles.list({ ...filter, kind: undefined }),
      add: (double) => insert(() => statements.addDouble(double)),
      drop: (ids) => change(ids, (id) => statements.dropDouble(id), doubleNotFound),
    },
  };
}
