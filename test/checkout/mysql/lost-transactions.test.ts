// What ends a transaction of onPaid on MariaDB: a lock, a deadlock, a lost connection, a server that dies.
import type mysql from "mysql2/promise";
import { afterAll, describe, expect, it } from "vitest";
import { column, mysqlStage, untilOneWaits } from "../../storage/mysql/mysql-stage.ts";
import { type Engine, startEngine } from "../../support/engines/engine.ts";
import { mysqlRecipe } from "../../support/engines/mysql.ts";
import { MYSQL_ORMS } from "../../support/orms/mysql-orms.ts";
import type { Orm, OrmName } from "../../support/orms/orm.ts";
import { mysqlCheckout } from "../../support/stores/mysql-checkout.ts";
import { newSandbox, ORDER, openShop, PHONE, testClock } from "../stage.ts";

const opened: Orm[] = [];
const engines: Engine[] = [];
afterAll(async () => {
  for (const orm of opened) await orm.close().catch(() => {});
  for (const engine of engines) await engine.stop();
});

async function started(...options: readonly string[]) {
  const recipe = process.env.MYSQL_URL ? undefined : mysqlRecipe(...options);
  const engine = recipe && (await startEngine(recipe));
  if (engine) engines.push(engine);
  return engine;
}

// Of their own: one is killed, and each has settings of its own.
const plain = await started("--innodb-lock-wait-timeout=1");
const strict = await started("--innodb-lock-wait-timeout=1", "--innodb-rollback-on-timeout=ON");

const DRIVER: Pick<Orm, "run"> = {
  run: (client, text) => (client as mysql.PoolConnection).query(text),
};

const onPlain = mysqlStage(plain);
const onStrict = mysqlStage(strict);

/** A shop whose order is paid, and two rows that other transactions of it lock. */
function stageOn({ newDatabase, poolOf }: typeof onPlain, orm?: OrmName) {
  return async (
    onPaid: (given: {
      run: (text: string) => Promise<unknown>;
      other: mysql.PoolConnection;
      attempt: number;
    }) => Promise<unknown>,
  ) => {
    const url = await newDatabase();
    const pool = poolOf(url);
    await pool.query("CREATE TABLE goods (order_id VARCHAR(100))");
    await pool.query("CREATE TABLE stock (id INT PRIMARY KEY, count INT)");
    await pool.query("INSERT INTO stock VALUES (1, 9), (2, 9)");
    const other = await pool.getConnection();
    const own = orm === undefined ? undefined : MYSQL_ORMS[orm](url);
    if (own) opened.push(own);
    const clock = testClock();
    const sandbox = newSandbox();
    const transact = own?.transact;
    const { run } = own ?? DRIVER;
    const shop = openShop(sandbox, mysqlCheckout(pool, { now: clock.now, transact }), {
      onPaid: (_, { transaction, attempt }) =>
        transaction((client: unknown) =>
          onPaid({ other, attempt, run: async (text) => run(client, text) }),
        ),
    });
    await shop.checkout.pay(ORDER);
    sandbox.phone(PHONE).approve();
    await sandbox.clock.advance("10s");
    const pass = async () => {
      clock.advance(360_000);
      // It fails as a whole while the server is away.
      await shop.checkout.reconcile().catch(() => {});
    };
    const seen = async () => {
      const order = await shop.checkout.get(ORDER.id);
      return {
        goods: await column(pool, "SELECT order_id FROM goods"),
        effect: order?.effect,
        reviews: order?.reviews.map(({ kind }) => kind),
      };
    };
    return { ...shop, pool, other, pass, seen };
  };
}

const GIVE = `INSERT INTO goods VALUES ('${ORDER.id}')`;
const TAKE = "UPDATE stock SET count = count - 1 WHERE id = 1";
const GIVEN = { goods: [ORDER.id], effect: "done", reviews: [] };

/** Locks the stock by a transaction of another connection. */
async function lockStock(other: mysql.PoolConnection): Promise<void> {
  await other.query("START TRANSACTION");
  await other.query(TAKE);
}

/** Makes the server end this transaction, and not that of the other connection, which has written more. */
async function deadlock(run: (text: string) => Promise<unknown>, other: mysql.PoolConnection) {
  await run(TAKE);
  const rows = Array.from({ length: 50 }, (_, at) => `(${at + 100}, 1)`).join(", ");
  await other.query("START TRANSACTION");
  await other.query(`INSERT INTO stock VALUES ${rows}`);
  await other.query("UPDATE stock SET count = 0 WHERE id = 2");
  const waiting = run("UPDATE stock SET count = count - 1 WHERE id = 2");
  waiting.catch(() => {});
  await untilOneWaits(other);
  await other.query(TAKE);
  await other.query("ROLLBACK");
  return waiting;
}

describe.skipIf(plain === undefined).each(["mysql2", ...Object.keys(MYSQL_ORMS)] as const)(
  "a transaction of onPaid on MariaDB, by %s",
  (name) => {
    const stage = stageOn(onPlain, name === "mysql2" ? undefined : (name as OrmName));

    it("that waits too long for a lock is tried again", async () => {
      const { pass, seen } = await stage(async ({ run, other, attempt }) => {
        await run(GIVE);
        if (attempt > 1) return run(TAKE);
        await lockStock(other);
        return run(TAKE).finally(() => other.query("ROLLBACK"));
      });
      await pass();
      expect(await seen()).toMatchObject({ goods: [], effect: "due", reviews: [] });
      await pass();
      expect(await seen()).toEqual(GIVEN);
    });

    it("that a deadlock ends is tried again", async () => {
      const { pass, seen } = await stage(async ({ run, other, attempt }) => {
        await run(GIVE);
        return attempt > 1 ? run(TAKE) : deadlock(run, other);
      });
      await pass();
      expect(await seen()).toMatchObject({ goods: [], effect: "due", reviews: [] });
      await pass();
      expect(await seen()).toEqual(GIVEN);
    });

    it("that a deadlock ends, and that goes on, is stopped, and a person is told", async () => {
      let attempts = 0;
      const { pass, seen } = await stage(async ({ run, other }) => {
        attempts++;
        await deadlock(run, other).catch(() => {});
        await run(GIVE).catch(() => {});
      });
      for (let round = 0; round < 3; round++) await pass();
      const { goods, ...told } = await seen();
      // Prisma and Sequelize end the transaction, too: then it is tried again.
      if (told.reviews?.length === 0) {
        expect(goods).toEqual([]);
        expect(attempts).toBeGreaterThan(1);
        return;
      }
      expect(goods.length).toBeLessThanOrEqual(1);
      expect({ ...told, attempts }).toEqual({
        ...{ effect: "due", reviews: ["effect_unclear"] },
        attempts: 1,
      });
    });

    it("whose connection is killed is tried again", async () => {
      const { pass, seen, pool } = await stage(async ({ run, attempt }) => {
        await run(GIVE);
        if (attempt > 1) return;
        const ids = await column(
          pool,
          "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_rows_modified > 0",
        );
        for (const id of ids) await pool.query(`KILL ${id}`);
      });
      await pass();
      expect(await seen()).toMatchObject({ goods: [], effect: "due" });
      for (let round = 0; round < 3; round++) await pass();
      expect(await seen()).toEqual(GIVEN);
    });
  },
);

describe.skipIf(plain === undefined)("a transaction of onPaid on MariaDB", () => {
  it("goes on after a wait for a lock whose error it catches", async () => {
    const { pass, seen } = await stageOn(onPlain)(async ({ run, other }) => {
      await run(GIVE);
      await lockStock(other);
      await run(TAKE).catch(() => {});
      await other.query("ROLLBACK");
    });
    await pass();
    expect(await seen()).toEqual(GIVEN);
  });

  it("is stopped after such an error, if the server rolls back then", async () => {
    const { pass, seen } = await stageOn(onStrict)(async ({ run, other }) => {
      await run(GIVE);
      await lockStock(other);
      await run(TAKE).catch(() => {});
      await other.query("ROLLBACK");
    });
    for (let round = 0; round < 3; round++) await pass();
    expect(await seen()).toEqual({ goods: [], effect: "due", reviews: ["effect_unclear"] });
  });

  it("is given once, or is tried again, if the server dies at its COMMIT", async () => {
    let attempts = 0;
    const { pass, seen } = await stageOn(onPlain)(async ({ run }) => {
      attempts++;
      await run(GIVE);
      // The COMMIT is sent while the server dies.
      if (attempts === 1) setImmediate(() => void plain?.restart());
    });
    await pass();
    const isSettled = async () => {
      await pass();
      const now = await seen().catch(() => undefined);
      return now?.effect === "done" && now.goods.length;
    };
    await expect.poll(isSettled).toBe(1);
  });
});
