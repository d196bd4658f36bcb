import type { ValueTypes } from "../component.ts";
import { bareName, type Dialect, indexedRows, rowAfter } from "../dialect.ts";
import { returnsRows, type Statement, unnamed } from "../sql-steps.ts";

// Whole milliseconds, so that a page can go on exactly after the one before it. A subselect runs once for a statement:
// only so is an index used that is compared with it.
const WALL = "date_trunc('milliseconds', clock_timestamp())";
const WALL_MS = "(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)";

/** The time at which the transaction began: it is cheap in each of many rows. */
const BEGUN_MS = "(extract(epoch FROM now()) * 1000)::bigint";

// A commit is on the disk before it is acknowledged, whatever the database or the role is set to. The setting ends with the
// transaction, so a connection of a pool keeps its own.
const DURABLE: string = `set_config('synchronous_commit', CASE current_setting('synchronous_commit')
  WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) <> ''`;

/**
 * PostgreSQL, with the tables in one schema. All clocks are that of the server.
 *
 * @param isGiven - Whether the time of day is a value that the connection adds: tests set it.
 */
export const postgresDialect = (schema: string, isGiven = false): Dialect => ({
  name: "postgres",
  isInProcess: false,
  isMadeAtOnce: true,
  types: {
    integer: "bigint",
    counter: "bigint GENERATED ALWAYS AS IDENTITY",
    bytes: "bytea",
    digest: "bytea",
    key: 'text COLLATE "C"',
    longKey: 'text COLLATE "C"',
    word: 'text COLLATE "C"',
    text: "text",
    time: "timestamptz",
  },
  suffix: "",
  noBytes: "''",
  clocks: {
    wallMs: isGiven ? "$wall" : WALL_MS,
    wall: WALL,
    lease: WALL,
    retention: WALL,
    leaseMs: BEGUN_MS,
    retentionMs: BEGUN_MS,
  },
  later: (time, ms) => `${time} + ${ms} * interval '1 ms'`,
  inMs: (time) => `(extract(epoch FROM ${time}) * 1000)::float8`,
  fromMs: (ms) => `to_timestamp(${ms} / 1000.0)`,
  durable: DURABLE,
  takeRows: "FOR UPDATE SKIP LOCKED",
  by: (table) => table,
  lockRow: "FOR UPDATE",
  lockName: "SELECT pg_advisory_xact_lock(hashtext($name))::text AS locked",
  maxValues: 65_000,
  after: rowAfter,
  table: (component, name) => {
    const prefix = component === "checkout" ? "" : component;
    return `${schema}.${[prefix, name].filter((part) => part !== "").join("_")}`;
  },
  column: (name) => name,
  // To open `pg_class` makes the connection see what was committed while it waited for a lock.
  comment: (table) =>
    `SELECT obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE oid = to_regclass('${table}')`,
  index: (table, name, columns, rows) =>
    `CREATE INDEX IF NOT EXISTS ${bareName(table)}_${name} ON ${table} ${columns}${indexedRows(rows)}`,
});

/** A statement with its values by their numbers, as PostgreSQL takes them. */
export interface NumberedStatement {
  readonly text: string;
  /** The same with a row for each row that it writes: an executor of the user may return nothing else. */
  readonly returning: string;
  readonly names: readonly string[];
  readonly isQuery: boolean;
}

const TYPES = { integer: "bigint", bytes: "bytea", text: "text" } as const;

/** A name with a number, such as `key_7`, has the type of the name without it. */
const withoutNumber = (name: string): string => name.replace(/_\d+$/, "");

export function numbered(given: Statement, types: ValueTypes): NumberedStatement {
  const names = [...new Set(unnamed(given.text).names)];
  const numbers = new Map(names.map((name, at) => [name, at + 1]));
  const all: ValueTypes = { wall: "integer", ...types };
  const numberOf = (_: string, name: string) =>
    `$${numbers.get(name)}::${TYPES[all[name] ?? all[withoutNumber(name)] ?? "text"]}`;
  const plain = given.text.replaceAll(/\$(\w+)/g, numberOf);
  const text = given.isIfAbsent ? `${plain} ON CONFLICT DO NOTHING` : plain;
  const isQuery = returnsRows(text);
  return { text, returning: isQuery ? text : `${text} RETURNING 1 AS changed`, names, isQuery };
}
