import type { DatabaseSync } from "node:sqlite";
import { cannotUse, isBusy, openFile, setUp, whenFree } from "./file.ts";

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
    this.database = openFile(path);
    try {
      this.#setUp();
    } catch (error) {
      if (isBusy(error)) return;
      this.database.close();
      throw cannotUse(path, error);
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
    this.#opening ??= whenFree(() => this.#setUp()).finally(() => {
      this.#opening = undefined;
    });
    try {
      return await this.#opening;
    } catch (error) {
      throw cannotUse(this.#path, error);
    }
  }
}
