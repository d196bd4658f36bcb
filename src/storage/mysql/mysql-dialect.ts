import { bareName, type Dialect } from "../dialect.ts";
import { returnsRows, type Statement, unnamed, type Value } from "../sql-steps.ts";

// Compared byte by byte, with trailing blanks. MariaDB and MySQL have no collation of one name that does so; each reads
// its own comment. https://mariadb.com/kb/en/comment-syntax/
const EXACT =
  "CHARACTER SET utf8mb4 COLLATE /*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */";

// UNIX_TIMESTAMP(NOW(3)) is an hour ahead in the hour in which summer time ends: it reads a local time that comes twice.
const WALL = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000";

const LOCKS = "malipo_locks";
const LOCK_COUNT = 64;
const SUFFIX = " ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4";

/** The table of the room itself: one of its rows is locked until a transaction ends. Both statements may be run again. */
export const lockTable = (): string[] => [
  `CREATE TABLE IF NOT EXISTS ${LOCKS} (id smallint PRIMARY KEY)${SUFFIX}`,
  `INSERT INTO ${LOCKS} (id) VALUES ${Array.from({ length: LOCK_COUNT }, (_, id) => `(${id})`).join(", ")}
    ON DUPLICATE KEY UPDATE ${LOCKS}.id = ${LOCKS}.id`,
];

/** MySQL reads no range of an index for a comparison of rows. */
const rowAfter: Dialect["after"] = ([column = "", ...columns], [value = "", ...values]) =>
  columns.length === 0
    ? `${column} > ${value}`
    : `(${column} > ${value} OR (${column} = ${value} AND ${rowAfter(columns, values)}))`;

/**
 * MariaDB and MySQL, with the tables in the database of the connection. All clocks are that of the server.
 *
 * @param isGiven - Whether the time of day is a value that the connection adds: tests set it.
 */
export const mysqlDialect = (isGiven = false): Dialect => {
  const wall = isGiven ? "$wall" : WALL;
  return {
    name: "mysql",
    isInProcess: false,
    isMadeAtOnce: false,
    types: {
      integer: "bigint",
      counter: "bigint AUTO_INCREMENT",
      bytes: "longblob",
      digest: "varbinary(32)",
      // Three of them and a number fit into an index, which has 3,072 bytes.
      key: `varchar(255) ${EXACT}`,
      // An index has it beside a word and a number.
      longKey: `varchar(700) ${EXACT}`,
      word: "varchar(100) CHARACTER SET ascii COLLATE ascii_bin",
      text: `longtext ${EXACT}`,
      time: "bigint",
    },
    suffix: SUFFIX,
    noBytes: "x''",
    clocks: {
      wallMs: wall,
      wall,
      lease: WALL,
      retention: WALL,
      leaseMs: WALL,
      retentionMs: WALL,
    },
    later: (time, ms) => `${time} + ${ms}`,
    inMs: (time) => time,
    fromMs: (ms) => ms,
    // By innodb_flush_log_at_trx_commit of the server, which no transaction can set.
    durable: "true",
    takeRows: "FOR UPDATE SKIP LOCKED",
    by: (table, index) => `${table} FORCE INDEX (${bareName(table)}_${index})`,
    lockRow: "FOR UPDATE",
    // GET_LOCK is held until a connection ends; a row is until the transaction ends.
    lockName: `INSERT INTO ${LOCKS} (id) VALUES (CRC32($name) MOD ${LOCK_COUNT}) ON DUPLICATE KEY UPDATE ${LOCKS}.id = ${LOCKS}.id`,
    maxValues: 65_000,
    after: rowAfter,
    table: (component, name) => `malipo_${component}${name === "" ? "" : `_${name}`}`,
    column: (name) => `\`${name}\``,
    comment: (table) => `SELECT table_comment AS comment FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_name = '${table}'`,
    // MySQL does not know IF NOT EXISTS in these two. A migration goes on if the column or the index is there.
    flag: (table, name, condition) =>
      `ALTER TABLE ${table} ADD COLUMN /*M! IF NOT EXISTS */ ${name} tinyint
        GENERATED ALWAYS AS (CASE WHEN ${condition} THEN 1 END) VIRTUAL`,
    index: (table, name, columns, rows = {}) => {
      const first = typeof rows === "string" ? [] : Object.keys(rows);
      const all = columns.replace("(", `(${first.map((one) => `${one}, `).join("")}`);
      return `CREATE INDEX /*M! IF NOT EXISTS */ ${bareName(table)}_${name} ON ${table} ${all}`;
    },
  };
};

/** What a statement does, by which the rows that it has written are counted. */
type StatementKind = "query" | "insert if absent" | "update" | "write" | "none";

/** A statement with its values by their positions, as MySQL takes them. */
export interface PositionalStatement {
  readonly text: string;
  /** The name of each value, as often as it occurs; those after LIMIT at the end. */
  readonly names: readonly string[];
  readonly kind: StatementKind;
}

/** Above each number that counts up by itself, and exact as a number of JavaScript. */
const COUNTED_FROM = 2 ** 52;

/**
 * What ends an INSERT that does nothing if a row is there. INSERT IGNORE would also cut off what is too long. Rows that
 * are there are counted in LAST_INSERT_ID, since with the flag FOUND_ROWS they count as written.
 *
 * @see https://dev.mysql.com/doc/refman/8.0/en/insert-on-duplicate.html
 * @see https://dev.mysql.com/doc/refman/8.0/en/information-functions.html#function_last-insert-id
 */
function unlessThere(text: string): string {
  const [, table = "", first = ""] = /^\s*INSERT INTO (\S+)\s*\(\s*([^\s,)]+)/i.exec(text) ?? [];
  const column = `${table}.${first}`;
  return `${text} ON DUPLICATE KEY UPDATE ${column} =
    IF(LAST_INSERT_ID(GREATEST(LAST_INSERT_ID(), ${COUNTED_FROM}) + 1) > 0, ${column}, ${column})`;
}

/** How many rows an insert-if-absent has found, by the LAST_INSERT_ID that was 0 before. */
export const foundRows = (lastInsertId: number): number => Math.max(0, lastInsertId - COUNTED_FROM);

function kindOf({ text, isIfAbsent }: Statement): StatementKind {
  if (returnsRows(text)) return "query";
  if (isIfAbsent) return "insert if absent";
  if (/^\s*UPDATE\b/i.test(text)) return "update";
  return /^\s*(?:INSERT|DELETE)\b/i.test(text) ? "write" : "none";
}

const LIMIT = /(?<=\bLIMIT )\$(\w+)/gi;

export function positional(given: Statement): PositionalStatement {
  const text = given.isIfAbsent ? unlessThere(given.text) : given.text;
  const limits = Array.from(text.matchAll(LIMIT), ([, name = ""]) => name);
  const rest = unnamed(text.replaceAll(LIMIT, "{}"));
  return { text: rest.text, names: [...rest.names, ...limits], kind: kindOf(given) };
}

/**
 * The text and the values to send. The numbers after LIMIT are in the text: as values of a prepared statement, MySQL takes
 * them from some libraries only.
 */
export function bound(
  { text, names }: PositionalStatement,
  values: readonly Value[],
): readonly [text: string, values: unknown[]] {
  const [first = "", ...rest] = text.split("{}");
  const at = names.length - rest.length;
  const limited = rest.reduce((all, part, n) => `${all}${Number(values[at + n])}${part}`, first);
  const sent = values
    .slice(0, at)
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
  return [limited, sent];
}
