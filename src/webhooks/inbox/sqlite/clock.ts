import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type RetentionClock, retentionTime } from "../../../internal/retention-clock.ts";
import { DIALECT } from "./schema.ts";

const { meta } = DIALECT.tables;

/** The clock by which a file forgets. It is stored in the file. */
export class FileClock {
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  #stored: RetentionClock | undefined;

  constructor(database: DatabaseSync) {
    this.#read = database.prepare(`SELECT value FROM ${meta} WHERE name = 'clock'`);
    this.#write = database.prepare(`INSERT OR REPLACE INTO ${meta} VALUES ('clock', ?)`);
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

  /** Whether {@link FileClock.advance} has anything to write. */
  isDue(): boolean {
    return retentionTime(this.#stored).isDue;
  }

  /** Writes the clock to the file if it is time. Returns what the user must know. */
  advance(): Error | undefined {
    this.#load();
    const { clock, isDue, warning } = retentionTime(this.#stored);
    if (!isDue) return undefined;
    this.#write.run(JSON.stringify(clock));
    this.#stored = clock;
    return warning === undefined ? undefined : new Error(warning);
  }
}
