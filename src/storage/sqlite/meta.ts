import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type RetentionClock, retentionTime } from "../../internal/retention-clock.ts";

// What a store writes about itself: a table of names and values, with the format of its data and the
// clock by which it forgets.

/** The statements that create the table. `format`: that of the data, which is created with it. */
export const metaSql = (table: string, format: number): readonly string[] => [
  `CREATE TABLE ${table} (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`,
  `INSERT INTO ${table} VALUES ('format', '${format}')`,
];

/**
 * The format in which a file was written; `undefined` for a file without data, and 0 for data that
 * has no format.
 *
 * @param data - The table that holds the data.
 */
export function formatOf(database: DatabaseSync, table: string, data: string): number | undefined {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (exists.get(table) === undefined) return exists.get(data) === undefined ? undefined : 0;
  const row = database.prepare(`SELECT value FROM ${table} WHERE name = 'format'`).get();
  return Number(row?.value ?? 0);
}

/** The clock by which a file forgets. It is stored in the file. */
export class FileClock {
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  #stored: RetentionClock | undefined;

  constructor(database: DatabaseSync, table: string) {
    this.#read = database.prepare(`SELECT value FROM ${table} WHERE name = 'clock'`);
    this.#write = database.prepare(`INSERT OR REPLACE INTO ${table} VALUES ('clock', ?)`);
    this.#load();
  }

  #load(): void {
    const row = this.#read.get();
    this.#stored = row === undefined ? undefined : JSON.parse(row.value as string);
  }

  /** In milliseconds since 1970. */
  now(): number {
    return retentionTime(this.#stored).clock.nowMs;
  }

  /** Writes the clock to the file when it is due. Returns a warning if a clock was set. */
  advance(): string | undefined {
    if (!retentionTime(this.#stored).isDue) return undefined;
    this.#load();
    const { clock, isDue, warning } = retentionTime(this.#stored);
    if (!isDue) return undefined;
    this.#write.run(JSON.stringify(clock));
    this.#stored = clock;
    return warning;
  }
}
