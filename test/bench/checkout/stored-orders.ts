// Stores of a checkout with many orders, which tell what each statement reads.
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { CheckoutStore } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { sqlite } from "malipo/sqlite";
import pg from "pg";

/** A statement that the checkout has run. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface OrderDatabase {
  readonly store: CheckoutStore;
  /** The statements of the checkout that ran during the work, each once. */
  record(work: () => Promise<unknown>): Promise<Statement[]>;
  /** What the engine says of reading a table, or a whole index, from its first row to its last. */
  scans(statement: Statement): Promise<string[]>;
  /** Copies all rows of an order. In each copy, the texts in its texts have another number. */
  copy(order: string, texts: readonly string[], count: number): Promise<void>;
  /** Puts off what is due of the orders whose ids are like this. */
  putOff(like: string, ms: number): Promise<void>;
  close(): Promise<void>;
}

/** The tables with rows of an order, and the column by which they are found. */
const TABLES = [
  ["orders", "id"],
  ["payments", "order_id"],
  ["prompts", "order_id"],
  ["idempotency", "idempotency_key"],
] as const;

/** An index that holds nothing but open reviews: it is there to be read whole. */
const PARTIAL = /payments_review$/;

/** A part of a statement in a plan of SQLite, with its name. */
const PART = /^(?:CO-ROUTINE|MATERIALIZE) (\w+)/;

const marked = (column: string, texts: readonly string[]) =>
  texts.reduce((sql, mark) => `replace(${sql}, '${mark}', '${mark}' || n)`, column);

/** A database that notes each statement that is run. */
function noting(own: DatabaseSync, seen: Map<string, Statement>): DatabaseSync {
  const prepare = (text: string) => {
    const statement = own.prepare(text);
    const note = (values: readonly SQLInputValue[]) => seen.set(text, { text, values });
    const all = (...values: SQLInputValue[]) => {
      note(values);
      return statement.all(...values);
    };
    const run = (...values: SQLInputValue[]) => {
      note(values);
      return statement.run(...values);
    };
    return { all, run, get: (...values: SQLInputValue[]) => all(...values)[0] };
  };
  return new Proxy(own, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (name === "prepare") return prepare;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

export async function sqliteOrders(folder: string, size: number): Promise<OrderDatabase> {
  const own = new DatabaseSync(join(folder, `${size}.db`));
  const seen = new Map<string, Statement>();
  const store = sqlite(noting(own, seen)).checkout();
  const nameOf = (table: string) =>
    table === "idempotency" ? "malipo_idempotency" : `malipo_checkout_${table}`;
  return {
    store: store as unknown as CheckoutStore,
    record: async (work) => {
      seen.clear();
      await work();
      return [...seen.values()];
    },
    scans: async ({ text, values }) => {
      const details = own
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all(...(values as SQLInputValue[]))
        .map(({ detail }) => String(detail));
      // The rows of a part of the statement, which is listed apart with what it reads.
      const parts = details.map((detail) => PART.exec(detail)?.[1]);
      return details
        .filter((detail) => /^SCAN (?!CONSTANT|clock\b|\(|\w+ VIRTUAL)/.test(detail))
        .filter((detail) => !PARTIAL.test(detail) && !parts.includes(detail.split(" ")[1]));
    },
    copy: async (order, texts, count) => {
      own.exec("BEGIN");
      for (const [table, column] of TABLES) {
        const name = nameOf(table);
        const columns = own.prepare(`SELECT name, type FROM pragma_table_info('${name}')`).all();
        const values = columns.map((one) =>
          one.type === "TEXT" ? marked(String(one.name), texts) : String(one.name),
        );
        own.exec(`WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series LIMIT ${count})
          INSERT INTO ${name} SELECT ${values.join(", ")}
          FROM (SELECT * FROM ${name} WHERE ${column} LIKE '${order}%'), series`);
      }
      own.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    },
    putOff: async (like, ms) => {
      own.exec(`UPDATE ${nameOf("orders")} SET due_at = due_at + ${ms} WHERE id LIKE '${like}'`);
    },
    close: async () => {
      await store.close();
      own.close();
    },
  };
}

/** A node of a plan of PostgreSQL. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const isScan = (node: PlanNode): boolean =>
  node["Node Type"] === "Seq Scan" ||
  (/Index.* Scan/.test(node["Node Type"]) && node["Index Cond"] === undefined);

export async function postgresOrders(url: string, size: number): Promise<OrderDatabase> {
  const schema = `shop_${size}`;
  const seen = new Map<string, Statement>();
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => {});
  const own = new pg.Pool({ connectionString: url, max: 1 });
  own.on("error", () => {});
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const noted = (...args: unknown[]) => {
      const [given, values = []] = args as [string | Statement, unknown[] | undefined];
      const { text, values: own } = typeof given === "string" ? { text: given, values } : given;
      if (/^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(text) && text.includes(`${schema}.`)) {
        seen.set(text, { text, values: Array.isArray(own) ? own : [] });
      }
      return query(...args);
    };
    Object.assign(client, { query: noted });
  });
  return {
    store: postgres(pool, { schema }).checkout() as unknown as CheckoutStore,
    record: async (work) => {
      seen.clear();
      await work();
      return [...seen.values()];
    },
    scans: async ({ text, values }) => {
      // A table with few rows is read whole, index or not. So PostgreSQL does it here only if it has no index.
      await own.query("SET enable_seqscan = off");
      const { rows } = await own.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
      await own.query("RESET enable_seqscan");
      const [{ Plan }] = rows[0]["QUERY PLAN"];
      return nodesOf(Plan)
        .filter((node) => isScan(node) && !PARTIAL.test(node["Index Name"] ?? ""))
        .map((node) => `${node["Node Type"]} ${node["Index Name"] ?? node["Relation Name"]}`);
    },
    copy: async (order, texts, count) => {
      for (const [table, column] of TABLES) {
        const { rows } = await own.query(
          "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position",
          [schema, table],
        );
        const values = rows.map(({ name, type }) => (type === "text" ? marked(name, texts) : name));
        await own.query(`INSERT INTO ${schema}.${table} SELECT ${values.join(", ")}
          FROM ${schema}.${table}, generate_series(1, ${count}) n WHERE ${column} LIKE '${order}%'`);
      }
      for (const [table] of TABLES) await own.query(`VACUUM ANALYZE ${schema}.${table}`);
    },
    putOff: async (like, ms) => {
      await own.query(
        `UPDATE ${schema}.orders SET due_at = due_at + ${ms} WHERE id LIKE '${like}'`,
      );
      await own.query(`VACUUM ANALYZE ${schema}.orders`);
    },
    close: async () => {
      await pool.end();
      await own.end();
    },
  };
}
