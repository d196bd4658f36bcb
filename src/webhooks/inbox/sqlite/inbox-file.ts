import type { DatabaseSync } from "node:sqlite";
import { isLocked, whenUnlocked } from "../../../internal/sqlite/locks.ts";
import { cannotUse, makeDurable, openFile } from "../../../internal/sqlite/open.ts";
import { inTransaction } from "../../../internal/sqlite/transaction.ts";
import { createTables } from "./schema.ts";

const OWNER = "sqliteInbox";

/** Makes an open file a durable store with the tables of an inbox. Fails if the file is locked. */
function setUp(database: DatabaseSync): void {
  makeDurable(database);
  // A delivery touches the index of keys at random: the later a page is written back, the more changes
  // are written at once. This allows 40 MB of log.
  database.exec("PRAGMA wal_autocheckpoint = 10000");
  // In a transaction, since another process may do the same. A read-only file is found out now, not at
  // the first delivery.
  inTransaction(database, () => createTables(database));
}

/** A file that becomes usable as soon as no other process has it locked. */
export class InboxFile<Opened> {
  readonly database: DatabaseSync;
  readonly #path: string;
  readonly #open: (database: DatabaseSync) => Opened;
  /** `undefined` while another process has the file locked. */
  opened: Opened | undefined;
  #opening: Promise<Opened> | undefined;

  /**
   * @param open - Makes what works on the file, once it has its tables.
   * @throws {ConfigurationError} for a file that cannot be used, unless it is locked.
   */
  constructor(path: string, open: (database: DatabaseSync) => Opened) {
    this.#path = path;
    this.#open = open;
    this.database = openFile(OWNER, path);
    try {
      this.#setUp();
    } catch (error) {
      if (isLocked(error)) return;
      this.database.close();
      throw cannotUse(OWNER, path, error);
    }
  }

  #setUp(): Opened {
    setUp(this.database);
    this.opened = this.#open(this.database);
    return this.opened;
  }

  /** Waits until the file is free. All callers share the tries. */
  async ready(): Promise<Opened> {
    if (this.opened !== undefined) return this.opened;
    this.#opening ??= whenUnlocked(() => this.#setUp()).finally(() => {
      this.#opening = undefined;
    });
    try {
      return await this.#opening;
    } catch (error) {
      throw cannotUse(OWNER, this.#path, error);
    }
  }
}
