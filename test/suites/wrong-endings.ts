import type { Checkout, Order, PaidContext } from "malipo/checkout";
import { describe, expect, it } from "vitest";
import { newSandbox, ORDER, openShop, PHONE, testClock } from "../checkout/stage.ts";
import type { OrmName } from "../support/orms.ts";
import type { MerchantDatabase } from "./checkout-transaction.ts";

/** What a wrong `onPaid` works with. */
interface Wrong {
  readonly id: string;
  readonly context: PaidContext;
  readonly checkout: Checkout;
  readonly merchant: MerchantDatabase;
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
 * - `empty`: the same as `given`, but if the library has sent nothing, `onError` says that no row was written.
 * - `safe`: `given`, or a review says so. Which of them, the library decides.
 * - `again`: writes of other connections are made again with each try, and a review says so in the end.
 */
type End = "given" | "given, told" | "told" | "stopped" | "empty" | "safe" | "again";

/** The engines: a SQLite connection is used at once, PostgreSQL keeps nothing of a transaction with a failed statement. */
type Engine = "sqlite" | "pg" | "orm";

interface Row {
  readonly name: string;
  readonly onPaid: (wrong: Wrong) => unknown;
  /** For each engine, or for one library. */
  readonly end: End | Readonly<Partial<Record<Engine | OrmName, End>>>;
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
    onPaid: ({ context, give }) => context.transaction((db) => void give(db)),
    end: { sqlite: "given", pg: "given", orm: "safe" },
  },
  {
    name: "makes a statement, and never runs it",
    onPaid: ({ context, makeOnly }) => context.transaction((db) => void makeOnly(db)),
    end: "empty",
  },
  {
    name: "forgets the await before a statement that fails",
    onPaid: ({ context, give, all, ...wrong }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => void caught({ context, give, all, ...wrong }, db),
        ),
      ),
    end: { sqlite: "given", pg: "told", orm: "safe" },
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
    end: { pg: "given" },
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
    end: { pg: "told" },
  },
  {
    name: "catches the error of a statement, and goes on",
    onPaid: (wrong) =>
      wrong.context.transaction((db) =>
        wrong.all(
          () => wrong.give(db),
          () => caught(wrong, db),
        ),
      ),
    end: { sqlite: "given", pg: "told", orm: "told" },
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
    end: { sqlite: "given", pg: "told", orm: "told" },
  },
  {
    name: "rolls back to a savepoint after the error of a statement",
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
    end: { sqlite: "given", pg: "given", orm: "given", prisma: "told" },
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
    end: { sqlite: "given", pg: "told", orm: "told" },
  },
  {
    name: "rolls back by itself at the end",
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
    onPaid: ({ context, give, sql, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => sql(db, "COMMIT"),
        ),
      ),
    end: { sqlite: "given, told", pg: "given", orm: "safe" },
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
    end: { sqlite: "given", pg: "given", orm: "safe" },
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
    end: { sqlite: "given", pg: "given, told", orm: "safe" },
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
    end: "given, told",
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
    end: { pg: "given, told" },
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
    end: { pg: "told" },
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
    end: { sqlite: "told", pg: "given", orm: "given" },
  },
  {
    name: "writes later, in a function that returns a promise",
    onPaid: ({ context, give }) => context.transaction((db) => pause().then(() => give(db))),
    end: { sqlite: "stopped", pg: "given", orm: "given" },
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
    end: { pg: "given", orm: "given" },
  },
  {
    name: "pays and cancels the order in its transaction",
    onPaid: ({ id, context, give, checkout, all }) =>
      context.transaction((db) =>
        all(
          () => give(db),
          () => void checkout.pay(ORDER).catch(() => {}),
          () => void checkout.cancel(id).catch(() => {}),
        ),
      ),
    end: "given",
  },
  {
    name: "pays and cancels the order before its transaction",
    onPaid: async ({ id, context, give, checkout }) => {
      await checkout.pay(ORDER);
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
];

const EMPTY = /has written no row/;
const isOfEmptiness = (error: unknown) => EMPTY.test(String(error));

/** What becomes of the goods, whatever `onPaid` does, with the connection of the merchant's own library. */
export function wrongEndingsSuite(
  name: string,
  engine: Engine,
  fresh: (now: () => number) => Promise<MerchantDatabase>,
  orm?: OrmName,
): void {
  describe(`${name}: whatever onPaid does, the goods are given once, or a person is told`, () => {
    const rows = WRONG_ENDINGS.flatMap(({ end, ...row }) => {
      const own = typeof end === "string" ? end : ((orm && end[orm]) ?? end[engine]);
      return own === undefined ? [] : [{ ...row, end: own }];
    });
    it.each(rows)("onPaid $name: $end", async ({ onPaid, end }) => {
      const { checkout, merchant, errors, reviews, tries } = await played(onPaid, engine, fresh);
      const goods = await merchant.goods();
      const order = (await checkout.get(ORDER.id)) as Order;
      const seen = { goods, effect: order.effect, reviews: reviews(order) };
      if (end === "again") {
        expect(seen).toMatchObject({ effect: "due", reviews: ["effect_failed"] });
        return;
      }
      if (end === "stopped") {
        expect(goods.length).toBeLessThanOrEqual(1);
        expect(seen).toMatchObject({ effect: "due", reviews: ["effect_unclear"] });
        expect(tries()).toBe(1);
        return;
      }
      if (end === "safe") {
        const isGiven = order.effect === "done" && goods.length === 1;
        expect(goods.length).toBeLessThanOrEqual(1);
        const isTold = seen.reviews.length > 0 || errors.some(isOfEmptiness);
        expect(isGiven || isTold, JSON.stringify(seen)).toBe(true);
        return;
      }
      if (end === "empty") {
        expect(seen).toMatchObject({ goods: [], effect: "done" });
        expect(errors.map(String)).toEqual([expect.stringMatching(EMPTY)]);
        return;
      }
      const isLost = order.effect === "done" && goods.length === 0;
      expect(goods).toEqual(end === "told" || isLost ? [] : [ORDER.id]);
      // What is dropped after "done" is never given silently.
      if (isLost) expect(seen.reviews).toEqual(["effect_unclear"]);
      const expected = {
        given: { effect: "done", reviews: [] },
        "given, told": { effect: "done", reviews: ["effect_unclear"] },
        told: { effect: "due", reviews: ["effect_failed"] },
      };
      expect(seen).toMatchObject(expected[end]);
    });
  });
}

/** An order that is paid, and thirteen tries of its goods. */
async function played(
  onPaid: Row["onPaid"],
  engine: Engine,
  fresh: (now: () => number) => Promise<MerchantDatabase>,
) {
  const clock = testClock();
  const sandbox = newSandbox();
  const merchant = await fresh(clock.now);
  const laters: Promise<unknown>[] = [];
  let tries = 0;
  const all: Wrong["all"] = (...steps) => {
    if (engine === "sqlite") {
      for (const step of steps) step();
      return undefined;
    }
    return (async () => {
      for (const step of steps) await step();
    })();
  };
  const errors: unknown[] = [];
  const { checkout } = openShop(sandbox, merchant.open(), {
    onError: (error) => errors.push(error),
    onPaid: ({ id }, context) => {
      tries++;
      return onPaid({
        ...{ id, context, checkout, merchant, all },
        give: (connection) => merchant.give(connection, id),
        giveElsewhere: () => merchant.giveElsewhere(id),
        sql: (connection, text) => merchant.sql(connection, text),
        makeOnly: (connection) => merchant.makeOnly?.(connection),
        later: (work) => laters.push(work().catch(() => {})),
      });
    },
  });
  await checkout.pay(ORDER);
  sandbox.phone(PHONE).approve();
  await sandbox.clock.advance("10s");
  for (let round = 0; round < 14; round++) {
    clock.advance(360_000);
    await checkout.reconcile();
    await Promise.all(laters);
  }
  const reviews = (order: Order) => order.reviews.map(({ kind }) => kind);
  return { checkout, merchant, errors, reviews, tries: () => tries };
}
