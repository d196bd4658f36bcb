import { asOwnEvent, exactText } from "../delivery.ts";
import { notFoundIn } from "../errors.ts";
import type { Lists, NewDelivery } from "../inbox-types.ts";
import type {
  Decision,
  LedgerStatements,
  ListFilter,
  ListName,
  Statement,
} from "./review-statements.ts";
import { conflictIn, deadLetterIn, deliveryIn, doubleIn, type LedgerRow } from "./rows.ts";

/** How the lists reach the tables. */
export interface LedgerAccess {
  readonly statements: LedgerStatements;
  /** Resolves with the rows. */
  read(statement: Statement): Promise<LedgerRow[]>;
  /** Resolves with whether a row is new. */
  insert(statement: Statement): Promise<boolean>;
  /**
   * Changes a row for each id, and stores events, in one transaction. If there is no row, it rejects with
   * `notFoundIn`, and nothing has changed. What waits now is processed.
   */
  decide(
    name: ListName,
    how: Decision,
    ids: readonly string[],
    events: readonly NewDelivery[],
  ): Promise<void>;
}

/** The lists of what waits for a person. */
export function listsOf({ statements, read, insert, decide }: LedgerAccess): Lists {
  const rowOf = async (name: ListName, id: string) => {
    const [row] = await read(statements.row(name, id));
    if (row === undefined) throw notFoundIn(name, id);
    return row;
  };
  const reads = <Item>(name: ListName, itemIn: (row: LedgerRow) => Item) => ({
    list: async (filter: ListFilter) => (await read(statements.page(name, filter))).map(itemIn),
    read: async (id: string) => {
      const row = await rowOf(name, id);
      return { ...itemIn(row), body: exactText(row.raw as Uint8Array) };
    },
  });
  const changes = (name: ListName, how: Decision) => async (ids: readonly string[]) => {
    // An open conflict never changes: if a person decides meanwhile, it is not found.
    const requeued = name === "conflicts" && how === "requeue" ? ids : [];
    const rows = await Promise.all(requeued.map((id) => rowOf(name, id)));
    await decide(name, how, ids, rows.map(deliveryIn).map(asOwnEvent));
  };
  const events = <Item>(name: ListName, itemIn: (row: LedgerRow) => Item) => ({
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
      add: (double) => insert(statements.addDouble(double)),
      drop: changes("doublePayments", "drop"),
    },
  };
}
