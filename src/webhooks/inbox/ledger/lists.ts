import type { ConfigurationError } from "../../../errors/configuration.ts";
import { asOwnEvent } from "../conflicts.ts";
import {
  conflictNotFound,
  deadLetterNotFound,
  doubleNotFound,
  waitingNotFound,
} from "../errors.ts";
import type { Inbox, NewDelivery } from "../types.ts";
import {
  conflictIn,
  deadLetterIn,
  deliveryIn,
  doubleIn,
  type LedgerRow,
  withBody,
} from "./rows.ts";
import type { LedgerStatements, Statement } from "./statements.ts";

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
  const find = async (statement: (id: string) => Statement, id: string, notFound: NotFound) => {
    const [row] = await read(() => statement(id));
    if (row === undefined) throw notFound(id);
    return row;
  };
  const deadLetter = (id: string) =>
    find((one) => statements.deadLetter(one), id, deadLetterNotFound);
  const conflict = (id: string) => find((one) => statements.conflict(one), id, conflictNotFound);
  const decide = (ids: readonly string[], events: readonly NewDelivery[] = []) =>
    change(ids, (id) => statements.decideConflict(id), conflictNotFound, events);
  return {
    deadLetters: {
      list: async (filter) => (await read(() => statements.deadLetters(filter))).map(deadLetterIn),
      read: async (id) => {
        const row = await deadLetter(id);
        return withBody(deadLetterIn(row), row);
      },
      requeue: (ids) => change(ids, (id) => statements.requeueDead(id), deadLetterNotFound),
      drop: (ids) => change(ids, (id) => statements.dropDead(id), deadLetterNotFound),
    },
    conflicts: {
      list: async (filter) => (await read(() => statements.conflicts(filter))).map(conflictIn),
      read: async (id) => {
        const row = await conflict(id);
        return withBody(conflictIn(row), row);
      },
      requeue: async (ids) => {
        // An open conflict never changes: if a person decides meanwhile, it is not found.
        const rows = await Promise.all(ids.map(conflict));
        await decide(ids, rows.map(deliveryIn).map(asOwnEvent));
      },
      drop: (ids) => decide(ids),
    },
    waiting: {
      list: async (filter) => (await read(() => statements.waiting(filter))).map(deadLetterIn),
      read: async (id) => {
        const row = await find((one) => statements.event(one, "pending"), id, waitingNotFound);
        return withBody(deadLetterIn(row), row);
      },
    },
    doublePayments: {
      add: (double) => insert(() => statements.addDouble(double)),
      list: async (filter) => (await read(() => statements.doubles(filter))).map(doubleIn),
      drop: (ids) => change(ids, (id) => statements.dropDouble(id), doubleNotFound),
    },
  };
}
