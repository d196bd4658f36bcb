import type { Dialect } from "../dialect.ts";

/**
 * SQLite. Its clocks are values that the connection adds to a statement: the time of day, the time since the machine
 * started, which all its processes share and which cannot be set, and the clock by which a file forgets.
 */
export const SQLITE: Dialect = {
  name: "sqlite",
  types: {
    integer: "INTEGER",
    counter: "INTEGER",
    bytes: "BLOB",
    digest: "BLOB",
    key: "TEXT",
    text: "TEXT",
    time: "INTEGER",
  },
  suffix: " STRICT",
  noBytes: "x''",
  clocks: { wallMs: "$wall", wall: "$wall", lease: "$uptime", retention: "$retention" },
  later: (time, ms) => `${time} + ${ms}`,
  inMs: (time) => time,
  fromMs: (ms) => ms,
  // By `synchronous = FULL` of the connection.
  durable: "true",
  // One process writes at a time.
  takeRows: "",
  lockName: "SELECT $name AS locked",
  maxValues: 32_000,
  table: (component, name) => `malipo_${component}${name === "" ? "" : `_${name}`}`,
  index: (table, name, columns, where) =>
    `CREATE INDEX IF NOT EXISTS ${table}_${name} ON ${table} ${columns}${where === undefined ? "" : ` WHERE ${where}`}`,
};
