// Wrong and right ways to write `onPaid`, and what becomes of the goods. The manual prints the table.
import type { Checkout, PaidContext } from "../../src/checkout/index.ts";
import type { OrmName } from "../support/orms/orm.ts";

/** What a wrong `onPaid` works with. */
export interface Wrong {
  readonly id: string;
  readonly context: PaidContext;
  readonly checkout: Checkout;
  /** Writes the goods of the order by the connection of a transaction. */
  give(connection: unknown): unknown;
  /** Writes them by another connection, which commits at once. */
  giveElsewhere(): Promise<unknown>;
  /** Runs a statement by the connection of a transaction. */
  sql(connection: unknown, text: string): unknown;
  /** Makes a statement, and does not run it. */
  makeOnly(connection: unknown): unknown;
  /** Calls one after another: at once in SQLite, where an async function is refused. */
  all(...steps: readonly (() => unknown)[]): unknown;
  /** Something of this call goes on after `onPaid` has returned. */
  later(work: () => Promise<unknown>): void;
}

/**
 * What becomes of it:
 * - `given`: the goods are given once, and the order says so.
 * - `given, told`: the same, and a review says that something else was dropped.
 * - `told`: no goods are kept, it is tried again, and a review says so in the end.
 * - `stopped`: it is not known what was kept: it is not tried again, and a review says so at once.
 * - `dropped`: no goods are kept, and the order says "done": a review says so at once.
 * - `empty`: the same as `given`, but if the library has sent nothing, `onError` says that no row was written.
 * - `safe`: `given`, or a review says so. Which of them, the library decides.
 * - `refused`: the money is to be paid back: a review says so at once, and it is not tried again.
 * - `again`: writes of other connections are made again with each try, and a review says so in the end.
 */
export type End =
  | "given"
  | "given, told"
  | "told"
  | "stopped"
  | "dropped"
  | "empty"
  | "safe"
  | "refused"
  | "again";

/**
 * The engines, each with its driver or with a library. A SQLite connection is used at once. PostgreSQL keeps nothing of a
 * transaction with a failed statement. MariaDB ends a transaction if another one begins, or if a table is made.
 */
export type Engine = "sqlite" | "pg" | "orm" | "mysql2" | "mysqlOrm";

export interface Row {
  readonly name: string;
  readonly onPaid: (wrong: Wrong) => unknown;
  /**
   * Whether each library runs it, too: its end depends on when the library sends a statement, or on what the library does
   * after an error, or after a COMMIT or ROLLBACK that it did not send. All other rows ask nothing else of a library.
   */
  readonly isOfLibraries?: true;
  /** For each engine, or for one library on it. */
  readonly end: End | Readonly<Partial<Record<Engine | `${Engine} ${OrmName}`, End>>>;
}

const BROKEN = new Error("The printer has no paper.");
const FAILS = "INSERT INTO no_such_table VALUES (1)";
const fail = (): never => {
  throw BROKEN;
};
const pause = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs a statement that fails, and goes on. */
const caught = ({ sql }: Wrong, connection: unknown, text = FAILS) => {
  try {
    const result = sql(connection, text);
    return result instanceof Promise ? result.catch(() => {}) : result;
  } catch {
    return undefined;
  }
};

/** PostgreSQL keeps nothing after the error of a statement, and Prisma nowhere. MariaDB and SQLite undo the statement. */
const CAUGHT: Row["end"] = {
  ...{ sqlite: "given", pg: "told", orm: "told", mysql2: "given", mysqlOrm: "given" },
  "mysqlOrm prisma": "told",
};

/** What waits for something works on a server. */
const GIVEN_LATER: Partial<Record<Engine, End>> = {
  pg: "given",
  orm: "given",
  mysql2: "given",
  mysqlOrm: "given",
};

export const WRONG_ENDINGS: readonly Row[] = [
  {
    name: "writes in one transaction",
    onPaid: ({ context, give }) => context.transaction((db) => give(db)),
    end: "given",
  },
  {
    name: "writes nowhere, and resolves",
    onPaid: ({ giveElsewhere }) => giveElsewhere(),
    end: "given",
  },
  {
    name: "forgets the await before transaction",
    onPaid: ({ context, give }) => {
      void context.transaction((db) => give(db));
    },
    end: "given",
  },
  {
    name: "forgets the await before a transaction that fails",
    onPaid: ({ context, give, sql, all }) => {
      void context.transaction((db) =>
        all(
          () => give(db),
          () => sql(db, FAILS),
        ),
      );
    },
    end: "told",
  },
  {
    name: "forgets the await before a transaction, and throws",
    onPaid: ({ context, give }) => {
      void context.transaction((db) => give(db));
      throw BROKEN;
    },
    end: "given",
  },
  {
    name: "forgets the await before its statements",
    isOfLibraries: true,
    onPaid: ({ context, give }) => context.transaction((db) => void give(db)),
    end: { sqlite: "given", pg: "given", orm: "safe", mysql2: "given", mysqlOrm: "safe" },
  },
  {
    name: "makes a statement, and never runs it",
    isOfLibraries: true,
    onPaid: ({ context, makeOnly }) => context.transaction((db) => void makeOnly(db)),
    end: "empty",
  },
  {
    name: "forgets the await before a statement that fails",
    isOfLibraries: true,
    onPaid: ({ context, give, all, ...wrong }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => void caught({ context, give, all, ...wrong }, db),
        ),
      ),
    end: { sqlite: "given", pg: "told", orm: "safe", mysql2: "told", mysqlOrm: "safe" },
  },
  {
    name: "forgets the await before its only statement, which fails",
    onPaid: ({ context, sql }) => context.transaction((db) => void sql(db, FAILS)),
    end: { sqlite: "told", pg: "told", mysql2: "told" },
  },
  {
    name: "forgets the await before a statement that fails, and waits for another one",
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => void sql(db, FAILS),
          () => give(db),
        ),
      ),
    end: { sqlite: "told", pg: "told", mysql2: "told" },
  },
  {
    name: "writes the items of an order in async functions that it does not wait for",
    onPaid: ({ context, give, sql }) =>
      context.transaction((db) => {
        const writeItem = async () => {
          await sql(db, "SELECT 1");
          await sql(db, "SELECT 2");
          await sql(db, "SELECT 3");
          await give(db);
        };
        void writeItem();
      }),
    end: { pg: "given", mysql2: "given" },
  },
  {
    name: "writes in async functions that it does not wait for, and that fail",
    onPaid: ({ context, give, sql }) =>
      context.transaction((db) => {
        const writeItem = async () => {
          await give(db);
          await sql(db, FAILS);
        };
        void writeItem().catch(() => {});
      }),
    end: { pg: "told", mysql2: "told" },
  },
  {
    name: "catches the error of a statement, and goes on",
    isOfLibraries: true,
    onPaid: (wrong) =>
      wrong.context.transaction((db) =>
        wrong.all(
          () => wrong.give(db),
          () => caught(wrong, db),
        ),
      ),
    end: CAUGHT,
  },
  {
    name: "catches the error of a statement before its goods",
    onPaid: (wrong) =>
      wrong.context.transaction((db) =>
        wrong.all(
          () => caught(wrong, db),
          () => wrong.give(db),
        ),
      ),
    end: CAUGHT,
  },
  {
    name: "rolls back to a savepoint after the error of a statement",
    isOfLibraries: true,
    onPaid: (wrong) =>
      wrong.context.transaction((db) =>
        wrong.all(
          () => wrong.give(db),
          () => wrong.sql(db, "SAVEPOINT points"),
          () => caught(wrong, db),
          () => wrong.sql(db, "ROLLBACK TO SAVEPOINT points"),
        ),
      ),
    // Prisma ends a transaction whose statement has failed.
    end: {
      ...{ sqlite: "given", pg: "given", orm: "given", mysql2: "given", mysqlOrm: "given" },
      ...{ "orm prisma": "told", "mysqlOrm prisma": "told" },
    },
  },
  {
    name: "releases a savepoint that is not there, and goes on",
    onPaid: (wrong) =>
      wrong.context.transaction((db) =>
        wrong.all(
          () => wrong.give(db),
          () => caught(wrong, db, "RELEASE SAVEPOINT no_such"),
        ),
      ),
    end: CAUGHT,
  },
  {
    name: "rolls back by itself at the end",
    isOfLibraries: true,
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => sql(db, "ROLLBACK"),
        ),
      ),
    end: "stopped",
  },
  {
    name: "rolls back by itself, and writes the goods then",
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => sql(db, "ROLLBACK"),
          () => give(db),
        ),
      ),
    end: "stopped",
  },
  {
    name: "rolls back, begins again, and writes the goods",
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => sql(db, "ROLLBACK"),
          () => sql(db, "BEGIN"),
          () => give(db),
        ),
      ),
    end: "stopped",
  },
  {
    name: "commits by itself",
    isOfLibraries: true,
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => sql(db, "COMMIT"),
        ),
      ),
    end: "given, told",
  },
  {
    name: "commits by itself, and writes the goods then",
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => sql(db, "COMMIT"),
          () => give(db),
        ),
      ),
    end: "given, told",
  },
  {
    name: "commits by itself, and throws before it wrote anything",
    isOfLibraries: true,
    onPaid: ({ context, sql, all }) =>
      context.transaction((db) => all(() => sql(db, "COMMIT"), fail)),
    end: "dropped",
  },
  {
    name: "begins a transaction inside transaction, and writes the goods",
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => sql(db, "BEGIN"),
          () => give(db),
        ),
      ),
    end: { sqlite: "told", pg: "given", orm: "given", mysql2: "dropped", mysqlOrm: "dropped" },
  },
  {
    name: "makes a table after it wrote the goods",
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => sql(db, "CREATE TABLE IF NOT EXISTS prizes (id INT)"),
        ),
      ),
    // MariaDB commits before it makes a table.
    end: {
      ...{ sqlite: "given", pg: "given", orm: "given" },
      ...{ mysql2: "given, told", mysqlOrm: "given, told" },
    },
  },
  {
    name: "commits, and begins again",
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => sql(db, "COMMIT"),
          () => sql(db, "BEGIN"),
        ),
      ),
    end: "given, told",
  },
  {
    name: "commits, begins again, and catches the error of a statement",
    onPaid: (wrong) =>
      wrong.context.transaction((db) =>
        wrong.all(
          () => wrong.give(db),
          () => wrong.sql(db, "COMMIT"),
          () => wrong.sql(db, "BEGIN"),
          () => caught(wrong, db),
        ),
      ),
    end: "given, told",
  },
  {
    name: "lets a statement roll back the transaction, and goes on",
    onPaid: (wrong) =>
      wrong.context.transaction((db) =>
        wrong.all(
          () => wrong.sql(db, "CREATE TABLE IF NOT EXISTS points (id TEXT UNIQUE)"),
          () => wrong.sql(db, "INSERT INTO points VALUES ('1')"),
          () => caught(wrong, db, "INSERT OR ROLLBACK INTO points VALUES ('1')"),
          () => wrong.give(db),
        ),
      ),
    end: { sqlite: "stopped" },
  },
  {
    name: "uses transaction twice, one after another",
    onPaid: async ({ context, give }) => {
      await context.transaction((db) => give(db));
      await context.transaction((db) => give(db));
    },
    end: "given, told",
  },
  {
    name: "uses transaction twice at once",
    onPaid: ({ context, give }) =>
      Promise.all([context.transaction((db) => give(db)), context.transaction((db) => give(db))]),
    end: "given, told",
  },
  {
    name: "uses transaction inside transaction",
    isOfLibraries: true,
    onPaid: ({ context, give, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => void context.transaction((inner) => give(inner)).catch(() => {}),
        ),
      ),
    end: "given, told",
  },
  {
    name: "waits for a transaction inside transaction",
    onPaid: ({ context, give }) =>
      context.transaction(async (db) => {
        await give(db);
        await context.transaction((inner) => give(inner));
      }),
    end: "told",
  },
  {
    name: "tries its transaction again after it has failed",
    onPaid: async ({ context, give }) => {
      await context.transaction(fail).catch(() => {});
      await context.transaction((db) => give(db));
    },
    end: "given",
  },
  {
    name: "catches the error of its transaction, and resolves",
    onPaid: ({ context }) => context.transaction(fail).catch(() => {}),
    end: "told",
  },
  {
    name: "uses transaction after it returned",
    onPaid: ({ context, give, later }) => {
      later(async () => {
        await pause(30);
        await context.transaction((db) => give(db));
      });
    },
    end: "dropped",
  },
  {
    name: "uses transaction again after it returned",
    onPaid: async ({ context, give, later }) => {
      await context.transaction((db) => give(db));
      later(async () => {
        await pause(30);
        await context.transaction((db) => give(db));
      });
    },
    end: "given, told",
  },
  {
    name: "uses the connection after its transaction",
    onPaid: async ({ context, give, later }) => {
      let kept: unknown;
      await context.transaction((db) => {
        kept = db;
        return give(db);
      });
      later(async () => give(kept));
    },
    end: { pg: "given, told", mysql2: "given, told" },
  },
  {
    name: "releases the connection of its transaction",
    onPaid: ({ context, give, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => (db as { release(): void }).release(),
        ),
      ),
    end: { pg: "told", mysql2: "told" },
  },
  {
    name: "throws after it committed",
    onPaid: async ({ context, give }) => {
      await context.transaction((db) => give(db));
      throw BROKEN;
    },
    end: "given",
  },
  { name: "throws before it wrote anything", onPaid: fail, end: "told" },
  {
    name: "throws in its transaction after it wrote",
    onPaid: ({ context, give, all }) => context.transaction((db) => all(() => give(db), fail)),
    end: "told",
  },
  {
    name: "rejects with nothing",
    onPaid: () => Promise.reject(),
    end: "told",
  },
  {
    name: "throws a value that has no text",
    onPaid: () => {
      throw Object.create(null);
    },
    end: "told",
  },
  {
    name: "passes transaction something that is no function",
    onPaid: ({ context }) => context.transaction("INSERT" as never),
    end: "told",
  },
  {
    name: "writes in an async function",
    onPaid: ({ context, give }) =>
      context.transaction(async (db) => {
        await give(db);
      }),
    end: { ...GIVEN_LATER, sqlite: "told" },
  },
  {
    name: "writes later, in a function that returns a promise",
    onPaid: ({ context, give }) => context.transaction((db) => pause().then(() => give(db))),
    end: { ...GIVEN_LATER, sqlite: "stopped" },
  },
  {
    name: "writes by another connection, and throws",
    onPaid: async ({ giveElsewhere }) => {
      await giveElsewhere();
      throw BROKEN;
    },
    end: "again",
  },
  {
    name: "reads the order in its transaction",
    onPaid: ({ id, context, give, checkout, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => void checkout.get(id).catch(() => {}),
        ),
      ),
    end: "given",
  },
  {
    name: "waits for a read of the order in its transaction",
    onPaid: ({ id, context, give, checkout }) =>
      context.transaction(async (db) => {
        await give(db);
        await checkout.get(id);
        await checkout.list();
      }),
    end: GIVEN_LATER,
  },
  {
    name: "pays and cancels the order in its transaction",
    onPaid: ({ id, context, give, checkout, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => void checkout.pay({ id, amount: 1500, phone: "0712345678" }).catch(() => {}),
          () => void checkout.cancel(id).catch(() => {}),
        ),
      ),
    end: "given",
  },
  {
    name: "pays and cancels the order before its transaction",
    onPaid: async ({ id, context, give, checkout }) => {
      await checkout.pay({ id, amount: 1500, phone: "0712345678" });
      await checkout.cancel(id);
      await context.transaction((db) => give(db));
    },
    end: "given",
  },
  {
    name: "calls reconcile, and waits for it",
    onPaid: async ({ context, give, checkout }) => {
      await checkout.reconcile();
      await context.transaction((db) => give(db));
    },
    end: "given",
  },
  {
    name: "refuses the money",
    onPaid: ({ context }) => context.refuse("The seat is gone."),
    end: "refused",
  },
  {
    name: "refuses the money in its transaction",
    onPaid: ({ context, sql, all }) =>
      context.transaction((db) =>
        all(
          () => sql(db, "SELECT 1"),
          () => void context.refuse("The seat is gone."),
        ),
      ),
    end: "refused",
  },
  {
    name: "catches the error of its transaction, and refuses the money",
    onPaid: async ({ context, give, sql, all }) => {
      const write = (db: unknown) =>
        all(
          () => give(db),
          () => sql(db, FAILS),
        );
      await context.transaction(write).catch(() => context.refuse("The seat is gone."));
    },
    end: "refused",
  },
  {
    name: "refuses the money, and throws",
    onPaid: ({ context }) => {
      context.refuse("The seat is gone.");
      throw BROKEN;
    },
    end: "told",
  },
  {
    name: "refuses the money in a transaction that fails",
    onPaid: async ({ context, give, sql, all }) => {
      const write = (db: unknown) =>
        all(
          () => give(db),
          () => void context.refuse("The seat is gone."),
          () => sql(db, FAILS),
        );
      await context.transaction(write).catch(() => {});
    },
    end: "told",
  },
  {
    name: "refuses the money after its transaction",
    onPaid: async ({ context, give }) => {
      await context.transaction((db) => give(db));
      return context.refuse("The seat is gone.");
    },
    end: "given, told",
  },
  {
    name: "refuses the money after it returned",
    onPaid: async ({ context, give, later }) => {
      await context.transaction((db) => give(db));
      later(async () => {
        await pause();
        context.refuse("The seat is gone.");
        await pause();
      });
    },
    end: "given, told",
  },
];
