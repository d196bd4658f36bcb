import type { Component } from "../component.ts";
import type { Room, Tables } from "../room.ts";
import type { Steps } from "../sql-steps.ts";
import { engineClosed } from "../transaction-end.ts";
import { SQLITE } from "./sqlite-dialect.ts";
import { SqliteRoom, type SqliteRoomOptions, sqlOf } from "./sqlite-room.ts";

/**
 * A file that is opened at its first use: builds and tests import the module that names it, and must make no file. One that
 * cannot be opened is tried again at the next use.
 */
export class LateSqliteRoom<Connection> implements Room<Connection> {
  readonly dialect = SQLITE;
  readonly #path: string;
  readonly #options: SqliteRoomOptions;
  readonly #tables: (() => unknown)[] = [];
  #room: SqliteRoom<Connection> | undefined;
  #isClosed = false;

  constructor(path: string, options: SqliteRoomOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** @throws {ConfigurationError} for a file that cannot be used, unless it is locked. */
  get opened(): SqliteRoom<Connection> {
    if (this.#room !== undefined) return this.#room;
    if (this.#isClosed) throw engineClosed();
    this.#room = new SqliteRoom<Connection>(this.#path, this.#options);
    // All of them now: the next operation may come within a transaction of the merchant, which must not make tables.
    for (const make of this.#tables) make();
    return this.#room;
  }

  tables<Name extends string>(component: Component<Name>): Tables<Name, Connection> {
    if (this.#room !== undefined) return this.#room.tables(component);
    let made: Tables<Name, Connection> | undefined;
    const make = () => {
      made ??= this.opened.tables(component);
      return made;
    };
    this.#tables.push(make);
    return {
      dialect: SQLITE,
      open: async () => make().open(),
      run: async (steps) => make().run(steps),
      transaction: async (steps, options) => make().transaction(steps, options),
      within: async (transaction, steps) => make().within(transaction, steps),
      together: async (parts) => make().together(parts),
      sync: async () => make().sync(),
      takeWarnings: () => made?.takeWarnings() ?? [],
    };
  }

  async look<Returned>(steps: Steps<never, Returned>): Promise<Returned> {
    return this.opened.look(steps);
  }

  sql(components: readonly Component[]): string {
    return sqlOf(components);
  }

  async open(): Promise<void> {
    await this.opened.open();
  }

  async check(): Promise<string[]> {
    return this.opened.check();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#room?.close();
  }
}
