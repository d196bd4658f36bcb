// Modules for `malipo drill --goods`: right ones, and wrong ones, each of which one case of the drill finds.
import type { GoodsFault } from "../../../src/drill/goods-cases.ts";

/** The head of a module whose goods are rows of a SQLite file, with a connection of its own beside that of the store. */
const SQLITE = `
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { sqlite } from "malipo/sqlite";
const file = process.env.DATA + "/shop.db";
export const store = sqlite(file);
const own = new DatabaseSync(file, { timeout: 5000 });
own.exec("CREATE TABLE IF NOT EXISTS tickets (order_id TEXT)");
own.exec("CREATE TABLE IF NOT EXISTS points (order_id TEXT)");
const INSERT = "INSERT INTO tickets VALUES (?)";
const POINTS = "INSERT INTO points VALUES (?)";
const give = (db, id) => db.prepare(INSERT).run(id);
const addPoints = (db, id) => db.prepare(POINTS).run(id);
export const count = (id) =>
  own.prepare("SELECT count(*) AS n FROM tickets WHERE order_id = ?").get(id).n;
`;

export const sqliteModule = (onPaid: string): string => `${SQLITE}\n${onPaid}\n`;

export const postgresModule = (url: string, schema: string, onPaid: string): string => `
import pg from "pg";
import { postgres } from "malipo/postgres";
const pool = new pg.Pool({ connectionString: ${JSON.stringify(url)}, max: 4 });
pool.on("error", () => {});
await pool.query("CREATE SCHEMA IF NOT EXISTS ${schema}").catch(() => {});
await pool.query("CREATE TABLE IF NOT EXISTS ${schema}.tickets (order_id text)").catch(() => {});
export const store = postgres(pool, { schema: "${schema}" });
const give = (client, id) => client.query("INSERT INTO ${schema}.tickets VALUES ($1)", [id]);
export const count = async (id) =>
  (await pool.query("SELECT 1 FROM ${schema}.tickets WHERE order_id = $1", [id])).rows.length;
${onPaid}
`;

/** A connection as an ORM has it: nothing of it says how it runs a statement. */
export const unknownConnectionModule = (url: string, schema: string): string => `
import pg from "pg";
import { postgres } from "malipo/postgres";
const pool = new pg.Pool({ connectionString: ${JSON.stringify(url)}, max: 4 });
pool.on("error", () => {});
await pool.query("CREATE SCHEMA IF NOT EXISTS ${schema}").catch(() => {});
await pool.query("CREATE TABLE IF NOT EXISTS ${schema}.tickets (order_id text)").catch(() => {});
const INSERT = "INSERT INTO ${schema}.tickets VALUES ($1)";
async function transact(run) {
  const client = await pool.connect();
  let ending = "ROLLBACK";
  try {
    await client.query("BEGIN");
    const tickets = { create: (id) => client.query(INSERT, [id]) };
    const result = await run({ tickets }, { executeSql: (text, values) => client.query(text, values) });
    ending = "COMMIT";
    return result;
  } finally {
    await client.query(ending);
    client.release();
  }
}
export const store = postgres(pool, { schema: "${schema}", transact });
export const count = async (id) =>
  (await pool.query("SELECT 1 FROM ${schema}.tickets WHERE order_id = $1", [id])).rows.length;
export const onPaid = (order, { transaction }) => transaction((orm) => orm.tickets.create(order.id));
`;

export const mysqlModule = (url: string, onPaid: string): string => `
import { createPool } from "mysql2/promise";
import { mysql } from "malipo/mysql";
const pool = createPool({ uri: ${JSON.stringify(url)}, connectionLimit: 4 });
await pool.query("CREATE TABLE IF NOT EXISTS tickets (order_id varchar(60))");
export const store = mysql(pool);
const give = (connection, id) => connection.query("INSERT INTO tickets VALUES (?)", [id]);
export const count = async (id) =>
  (await pool.query("SELECT 1 FROM tickets WHERE order_id = ?", [id]))[0].length;
${onPaid}
`;

/** On a server: a read, then the goods, in one transaction. */
export const RIGHT_ON_A_SERVER = `
export const onPaid = (order, { transaction }) =>
  transaction(async (connection) => {
    await connection.query("SELECT 1");
    await give(connection, order.id);
  });`;

export const RIGHT_IN_TRANSACTION = sqliteModule(`
  export const onPaid = (order, { transaction }) =>
    transaction((db) => {
      addPoints(db, order.id);
      give(db, order.id);
    });`);

export const RIGHT_ELSEWHERE = sqliteModule(`
  own.exec("CREATE UNIQUE INDEX IF NOT EXISTS once ON tickets (order_id)");
  export const onPaid = async (order) => {
    own.prepare("INSERT OR IGNORE INTO tickets VALUES (?)").run(order.id);
  };`);

interface WrongModule {
  readonly name: string;
  /** The case that finds it. */
  readonly found: GoodsFault;
  /** What is wrong, in the words of the result. */
  readonly wrong: RegExp;
  readonly code: string;
}

const TWICE = /the customer has the goods [23] times/;
const NOTHING = /the order says done, and the customer has nothing/;

export const WRONG_MODULES: readonly WrongModule[] = [
  {
    name: "forgets the await before its write",
    found: "killDone",
    wrong: NOTHING,
    code: sqliteModule(`
      const later = async (id) => { await sleep(300); give(own, id); };
      export const onPaid = async (order) => { later(order.id); };`),
  },
  {
    name: "catches the error of a statement",
    found: "statement",
    wrong: NOTHING,
    code: sqliteModule(`
      export const onPaid = (order, { transaction }) =>
        transaction((db) => {
          try { give(db, order.id); } catch {}
        });`),
  },
  {
    name: "writes by a connection of its own",
    found: "throws",
    wrong: TWICE,
    code: sqliteModule("export const onPaid = async (order) => { give(own, order.id); };"),
  },
  {
    name: "writes by a connection of its own, and is overtaken",
    found: "stop",
    wrong: TWICE,
    code: sqliteModule("export const onPaid = async (order) => { give(own, order.id); };"),
  },
  {
    name: "writes the goods before its transaction",
    found: "rollback",
    wrong: TWICE,
    code: sqliteModule(`
      export const onPaid = async (order, { transaction }) => {
        give(own, order.id);
        await transaction((db) => addPoints(db, order.id));
      };`),
  },
  {
    name: "writes the goods after its transaction",
    found: "killAfter",
    wrong: NOTHING,
    code: sqliteModule(`
      export const onPaid = async (order, { transaction }) => {
        await transaction((db) => addPoints(db, order.id));
        give(own, order.id);
      };`),
  },
  {
    name: "remembers in memory what it has given",
    found: "killReturned",
    wrong: TWICE,
    code: sqliteModule(`
      const given = new Set();
      export const onPaid = async (order) => {
        if (given.has(order.id)) return;
        given.add(order.id);
        give(own, order.id);
      };`),
  },
  {
    name: "keeps the order in a variable outside",
    found: "threeOrders",
    wrong: /customer has (?:nothing|the goods [23] times)/,
    code: sqliteModule(`
      let current;
      export const onPaid = async (order, { transaction }) => {
        current = order.id;
        await sleep(500);
        await transaction((db) => give(db, current));
      };`),
  },
  {
    name: "uses transaction twice",
    found: "none",
    wrong: /the review effect_unclear asks a person to look/,
    code: sqliteModule(`
      export const onPaid = async (order, { transaction }) => {
        await transaction((db) => give(db, order.id));
        await transaction((db) => addPoints(db, order.id));
      };`),
  },
  {
    name: "begins its transaction after it has returned",
    found: "none",
    wrong: NOTHING,
    code: sqliteModule(`
      export const onPaid = (order, { transaction }) => {
        sleep(100).then(() => transaction((db) => give(db, order.id))).catch(() => {});
      };`),
  },
  {
    name: "never runs its statement",
    found: "none",
    wrong: NOTHING,
    code: sqliteModule(`
      export const onPaid = (order, { transaction }) =>
        transaction((db) => void db.prepare(INSERT));`),
  },
];

/** Modules with which nothing can be said about `onPaid`, and what the drill says then. */
export const UNTESTED: Readonly<Record<string, readonly [code: string, says: RegExp]>> = {
  "exports no count": ["export const store = {}, onPaid = () => {};", /does not export what the/],
  "does not load": ["import 'no-such-package-at-all';", /no-such-package-at-all/],
  "always throws": [
    sqliteModule("export const onPaid = () => { throw new Error('no paper'); };"),
    /gave no goods, although nothing had gone wrong.*no paper/s,
  ],
  "refuses the order": [
    sqliteModule("export const onPaid = (order, { refuse }) => refuse('The seat is gone');"),
    /export an `order` that it accepts/,
  ],
  "has a store in memory": [
    'import { memory } from "malipo";\nexport const store = memory(), onPaid = () => {}, count = () => 1;',
    /`store` is in memory, or a file of each process/,
  ],
  "counts with a list": [
    `${sqliteModule("export const onPaid = () => {};").replace(".get(id).n", ".all(id)")}`,
    /count must resolve with a whole number; got object/,
  ],
  "has the orders of a shop": [
    sqliteModule(`
      import { createCheckout } from "malipo/checkout";
      export const onPaid = () => {};
      const gateway = { apiKey: "sk_test_key_of_a_shop_0001" };
      await createCheckout({ store, onPaid, gateway, secret: "a-secret-of-a-shop-0001" })
        .create({ id: "K7Q2M9X4KD1T", amount: 10 });`),
    /an order that no drill has made \(K7Q2M9X4KD1T\)/,
  ],
};
