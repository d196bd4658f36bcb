import { type Dialect, indexedRows, rowAfter } from "../dialect.ts";

/**
 * SQLite. Its clocks are values that the connection adds to a statement: the time of day, the time since the machine
 * started, which all its processes share and which cannot be set, and the clock by which a file forgets.
 */
export const SQLITE: Dialect = {
  name: "sqlite",
  isInProcess: true,
  isMadeAtOnce: true,
  types: {
    integer: "INTEGER",
    counter: "INTEGER",
    bytes: "BLOB",
    digest: "BLOB",
    key: "TEXT",
    longKey: "TEXT",
    word: "TEXT",
    text: "TEXT",
    time: "INTEGER",
  },
  suffix: " STRICT",
  noBytes: "x''",
  clocks: {
    wallMs: "$wall",
    wall: "$wall",
    lease: "$uptime",
    retention: "$retention",
    leaseMs: "$uptime",
    retentionMs: "$retention",
  },
  later: (time, ms) => `${time} + ${ms}`,
  inMs: (time) => time,
  fromMs: (ms) => ms,
  // By `synchronous = FULL` of the connection.
  durable: "true",
  // One process writes at a time.
  takeRows: "",
  // With statistics (`PRAGMA optimize`), it would read all keys in the order of their times to find the few that are open:
  // https://sqlite.org/lang_indexedby.html
  by: (table, index) => `${table} INDEXED BY ${table}_${index}`,
  lockRow: "",
  lockName: "SELECT $name AS locked",
  maxValues: 32_000,
  after: rowAfter,
  table: (component, name) => `malipo_${component}${name === "" ? "" : `_${name}`}`,
  column: (name) => name,
  // SQLite has no comments on tables.
  comment: (table) => `SELECT '' AS comment FROM sqlite_master WHERE name = '${table}'`,
  index: (table, name, columns, rows) =>
    `CREATE INDEX IF NOT EXISTS ${table}_${name} ON ${table} ${columns}${indexedRows(rows)}`,
};
