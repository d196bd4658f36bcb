// The differences between the databases. Statements are written once, in words that all of them understand: no
// RETURNING, which MySQL does not have; an upsert is an insert-if-absent and an update.

/** The types of columns. */
interface ColumnTypes {
  /** A whole number up to 2^53. */
  readonly integer: string;
  /** A number that counts up by itself, for the column of a primary key. */
  readonly counter: string;
  readonly bytes: string;
  /** Bytes of a fixed length that are a key: 32. */
  readonly digest: string;
  /** A text that is a key or in an index: compared byte by byte, at most 255 characters. */
  readonly key: string;
  /** As {@link key}, for texts of at most 700 characters. An index may have it beside a number and a word. */
  readonly longKey: string;
  /** A text of at most 100 ASCII characters, which may be in an index: a state, a digest in hex. */
  readonly word: string;
  /** A text of any length, in no index. */
  readonly text: string;
  /** A moment, as this database stores it. */
  readonly time: string;
}

/** The clocks of a database, as expressions. Values such as `$wall` are added by the connection. */
interface ClockExpressions {
  /** The time of day, in milliseconds since 1970. */
  readonly wallMs: string;
  /** As {@link wallMs}, in the type `time`. */
  readonly wall: string;
  /** By which leases last, in the type `time`: a clock that is not set back, if the database has one. */
  readonly lease: string;
  /** By which data is forgotten, in the type `time`. */
  readonly retention: string;
  /** As {@link lease}, in milliseconds. An index is used that is compared with it. */
  readonly leaseMs: string;
  /** As {@link retention}, in milliseconds since 1970. An index is used that is compared with it. */
  readonly retentionMs: string;
}

/**
 * The rows of a partial index: a condition, or columns with the texts that they have, `null` for none. In a database without partial indexes,
 * these columns are the first ones of the index, and a condition is left out.
 */
export type IndexedRows = string | Readonly<Record<string, string | null>>;

/** What one kind of database says in its own words. */
export interface Dialect {
  /** As the user calls the engine. */
  readonly name: "sqlite" | "postgres" | "mysql";
  /** It works in this process: a statement costs no round trip, and one process writes at a time. */
  readonly isInProcess: boolean;
  /** Tables are made in a transaction. If not, a process that is killed may leave some of them, without their format. */
  readonly isMadeAtOnce: boolean;
  readonly types: ColumnTypes;
  /** What follows the columns of a table. */
  readonly suffix: string;
  /** The literal of no bytes. */
  readonly noBytes: string;
  readonly clocks: ClockExpressions;
  /** A moment of the type `time` that is some milliseconds after another one. */
  readonly later: (time: string, ms: string) => string;
  /** A moment of the type `time`, or the difference between two, in milliseconds. */
  readonly inMs: (time: string) => string;
  /** A moment of the type `time` from milliseconds since 1970. */
  readonly fromMs: (ms: string) => string;
  /** A condition that is always true: a commit is on the disk before it is acknowledged. */
  readonly durable: string;
  /**
   * What ends a SELECT whose rows no other transaction may take until this one ends. Rows that others hold are left out.
   * Its order must be that of the index that it reads, which {@link by} names.
   */
  readonly takeRows: string;
  /**
   * A table that is read in the order of one of its indexes. MySQL would sort few rows, whatever their index, and would lock
   * all that it sorts, although LIMIT leaves them out. SQLite with statistics would take the index of another order.
   */
  readonly by: (table: string, index: string) => string;
  /** What ends a SELECT of a row that no other transaction may change until this one ends. It waits for a row that is held. */
  readonly lockRow: string;
  /** A statement that makes transactions of one `$name` wait for each other. */
  readonly lockName: string;
  /** `count` placeholders are no problem for any database up to this number. */
  readonly maxValues: number;
  /** Whether a row comes after some values in the order of some columns, so that an index of these is used. */
  readonly after: (columns: readonly string[], values: readonly string[]) => string;
  /** The name of a table of a component, quoted if it must be. */
  readonly table: (component: string, name: string) => string;
  /** The name of a column that is a word of SQL, such as `key`, quoted if it must be. */
  readonly column: (name: string) => string;
  /** A query for what a table says about itself: no row if there is no such table, or one with its `comment`. */
  readonly comment: (table: string) => string;
  /**
   * A column that the database computes: 1 for the rows of a condition. An index that begins with it stands for a partial
   * one, so databases that have these have no such column.
   */
  readonly flag?: (table: string, name: string, condition: string) => string;
  /** Makes an index. @param rows - Which rows it has; without it, all. */
  readonly index: (table: string, name: string, columns: string, rows?: IndexedRows) => string;
}

/** As standard SQL says it, which SQLite and PostgreSQL answer from an index. */
export const rowAfter: Dialect["after"] = (columns, values) =>
  `(${columns.join(", ")}) > (${values.join(", ")})`;

/** The end of the statement that makes a partial index. */
export function indexedRows(rows?: IndexedRows): string {
  if (rows === undefined) return "";
  const equal = Object.entries(rows).map(([column, text]) =>
    text === null ? `${column} IS NULL` : `${column} = '${text}'`,
  );
  return ` WHERE ${typeof rows === "string" ? rows : equal.join(" AND ")}`;
}

/** The name of an index without the schema of its table. */
export const bareName = (table: string): string => table.replace(/^.*\./, "").replaceAll('"', "");
