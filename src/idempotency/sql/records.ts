import { attemptColumns, digestColumns } from "../columns.ts";
import { checkRecord, type RawRecord, type StoredRecord } from "../record.ts";
import type { ListedRecord, Records } from "../record-store.ts";
import type { StatementName } from "./statements.ts";

export type Values = Readonly<Record<string, string | number | null>>;

/** A row: a record, or only the key of one that was changed. */
export type Row = RawRecord & { readonly key: string; readonly is_behind: number };

/**
 * Runs a statement, which takes those of the values that it names. `key` is without the scope, and `stored_key`
 * is that of a row.
 */
export type RunStatement = (name: StatementName, values: Values) => Promise<readonly Row[]>;

/** The records of a SQL database. */
export function sqlRecords(run: RunStatement, retention: number): Records {
  const changesOne = async (name: StatementName, values: Values) =>
    (await run(name, values)).length === 1;
  /** The record of a row, whose lease starts again if the clock is behind it. */
  const recordIn = async (row: Row): Promise<StoredRecord> => {
    const record = checkRecord(row.key, row);
    if (row.is_behind === 1) await run("restartLease", { stored_key: row.key });
    return record;
  };
  const read = async (key: string): Promise<StoredRecord | undefined> => {
    const [row] = await run("read", { key });
    return row && recordIn(row);
  };
  return {
    begin: async (key, record) => {
      const hasBegun = await changesOne("begin", { key, ...attemptColumns(record) });
      return hasBegun ? "begun" : read(key);
    },
    read,
    finish: async (key, owner, end) => {
      const result = end.state === "succeeded" ? end.result : null;
      await run("finish", { key, owner, state: end.state, result, retention });
    },
    forget: async (key, owner) => {
      await run("forget", { key, owner });
    },
    resolve: async (key, { result = null, owner = null, scope }) => {
      const name = result === null ? "free" : "resolve";
      const isResolved = await changesOne(name, { key, scope, owner, result, retention });
      return isResolved ? "resolved" : read(key);
    },
    list: async ({ state = null, digests, after, limit }, scope) => {
      const wanted = digestColumns(digests);
      const isOpen = state === "in_flight" || state === "unknown";
      const name = wanted.account_reference === null ? (isOpen ? "listOpen" : "list") : "listFor";
      const position = { after_at: after?.at ?? 0, after_key: after?.id ?? "" };
      const rows = await run(name, { scope, state, ...wanted, ...position, count: limit + 1 });
      const listed: ListedRecord[] = [];
      for (const row of rows) listed.push([row.key, await recordIn(row)]);
      return listed;
    },
  };
}
