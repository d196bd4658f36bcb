import type { DatabaseSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import { type LedgerAccess, listsOf } from "../ledger/lists.ts";
import { LedgerStatements, type Statement } from "../ledger/statements.ts";
import { DIALECT } from "./schema.ts";
import type { SqliteStore } from "./store.ts";

// The driver binds values by their position only if the name of a parameter is `?1`.
const prepare = (database: DatabaseSync, { text }: Statement) =>
  database.prepare(text.replaceAll(/\$(\d)/g, "?$1"));

/** The lists of what waits for a person. @param requeued - Has what was requeued processed. */
export function fileLists(
  store: SqliteStore,
  retentionMs: number,
  requeued: () => void,
): ReturnType<typeof listsOf> {
  const { database } = store;
  const now = () => String(store.open().clock.now());
  const statements = new LedgerStatements(DIALECT, retentionMs, now, () => String(uptimeMs()));
  const run = (statement: Statement) =>
    prepare(database, statement).run(...statement.values).changes > 0;
  const access: LedgerAccess = {
    statements,
    read: (make) =>
      store.use(() => {
        const statement = make();
        return prepare(database, statement).all(...statement.values);
      }),
    insert: (statement) => store.change(() => run(statement())),
    change: async (ids, statement, notFound, deliveries = []) => {
      await store.change(({ events }) => {
        for (const id of ids) if (!run(statement(id))) throw notFound(id);
        for (const delivery of deliveries) events.store(delivery);
      });
      requeued();
    },
  };
  return listsOf(access);
}
