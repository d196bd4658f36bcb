import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type RetentionClock, retentionTime } from "../../internal/retention-clock.ts";

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
