import type { DatabaseSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import type { FileClock } from "../../../internal/sqlite/meta.ts";
import { asOwnEvent } from "../conflicts.ts";
import { conflictNotFound, deadLetterNotFound, doubleNotFound } from "../errors.ts";
import type { Conflict, DeadLetter, EventList } from "../event-list.ts";
import {
  conflictIn,
  deadLetterIn,
  deliveryIn,
  doubleIn,
  type LedgerRow,
  withBody,
} from "../ledger/rows.ts";
import { LedgerStatements, type Statement } from "../ledger/statements.ts";
import type { DoublePaymentList, NewDelivery } from "../types.ts";
import { DIALECT } from "./schema.ts";

/** What a person works with, in one file. Nothing here begins or ends a transaction. */
export class FileLists {
  readonly #database: DatabaseSync;
  readonly statements: LedgerStatements;

  constructor(database: DatabaseSync, clock: FileClock, retentionMs: number) {
    this.#database = database;
    this.statements = new LedgerStatements(DIALECT, retentionMs, () => String(clock.now()));
  }

  #prepare({ text }: Statement) {
    // The driver binds values by their position only if the name of a parameter is `?1`.
    return this.#database.prepare(text.replaceAll(/\$(\d)/g, "?$1"));
  }

  all(statement: Statement): LedgerRow[] {
    return this.#prepare(statement).all(...statement.values);
  }

  /** @throws what `notFound` returns if there is no such row. */
  one(statement: Statement, notFound: () => Error): LedgerRow {
    const [row] = this.all(statement);
    if (row === undefined) throw notFound();
    return row;
  }

  /** Returns whether a row was changed. */
  change(statement: Statement): boolean {
    return this.#prepare(statement).run(...statement.values).changes > 0;
  }

  /** Changes one row for each id. @throws what `notFound` returns if there is no such row. */
  changeAll(
    ids: readonly string[],
    statement: (id: string) => Statement,
    notFound: (id: string) => Error,
  ): void {
    for (const id of ids) if (!this.change(statement(id))) throw notFound(id);
  }
}

/** How the lists reach an open file. */
export interface FileAccess {
  read<Result>(work: (lists: FileLists) => Result): Promise<Result>;
  /** Does all of it in one transaction. */
  write<Result>(work: (lists: FileLists) => Result): Promise<Result>;
  /** As `write`, and has the worker take what is due. `store` stores a new event. */
  requeue(work: (lists: FileLists, store: (delivery: NewDelivery) => void) => void): Promise<void>;
}

export const deadLetterList = ({ read, write, requeue }: FileAccess): EventList<DeadLetter> => ({
  list: (filter) =>
    read((lists) => lists.all(lists.statements.deadLetters(filter)).map(deadLetterIn)),
  read: (id) =>
    read((lists) => {
      const row = lists.one(lists.statements.deadLetter(id), () => deadLetterNotFound(id));
      return withBody(deadLetterIn(row), row);
    }),
  requeue: (ids) =>
    requeue((lists) => {
      const due = `, due_at = ${uptimeMs()}`;
      lists.changeAll(ids, (id) => lists.statements.requeueDead(id, due), deadLetterNotFound);
    }),
  drop: (ids) =>
    write((lists) =>
      lists.changeAll(ids, (id) => lists.statements.dropDead(id), deadLetterNotFound),
    ),
});

export const conflictList = ({ read, write, requeue }: FileAccess): EventList<Conflict> => {
  const find = (lists: FileLists, id: string) =>
    lists.one(lists.statements.conflict(id), () => conflictNotFound(id));
  const decide = (lists: FileLists, ids: readonly string[]) =>
    lists.changeAll(ids, (id) => lists.statements.decideConflict(id), conflictNotFound);
  return {
    list: (filter) =>
      read((lists) => lists.all(lists.statements.conflicts(filter)).map(conflictIn)),
    read: (id) =>
      read((lists) => {
        const row = find(lists, id);
        return withBody(conflictIn(row), row);
      }),
    requeue: (ids) =>
      requeue((lists, store) => {
        const deliveries = ids.map((id) => deliveryIn(find(lists, id)));
        decide(lists, ids);
        for (const delivery of deliveries) store(asOwnEvent(delivery));
      }),
    drop: (ids) => write((lists) => decide(lists, ids)),
  };
};

export const doubleList = ({ read, write }: FileAccess): DoublePaymentList => ({
  add: (double) => write((lists) => lists.change(lists.statements.addDouble(double))),
  list: (filter) => read((lists) => lists.all(lists.statements.doubles(filter)).map(doubleIn)),
  drop: (ids) =>
    write((lists) => lists.changeAll(ids, (id) => lists.statements.dropDouble(id), doubleNotFound)),
});
