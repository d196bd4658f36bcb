import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { isLocked, whenUnlocked } from "../../../internal/sqlite/locks.ts";
import { FileClock } from "../../../internal/sqlite/meta.ts";
import { cannotUse, openFile } from "../../../internal/sqlite/open.ts";
import { inTransaction, inTransactionWhenUnlocked } from "../../../internal/sqlite/transaction.ts";
import { Batcher, type Stored } from "../batcher.ts";
import { notProcessedHere } from "../errors.ts";
import type { EndedLease, Lease, LeaseStore, Maintenance } from "../lease-store.ts";
import type { Pace } from "../pace.ts";
import type { NewDelivery, Receipt, Transaction } from "../types.ts";
import { type Disk, openDisk } from "./disk.ts";
import { Events } from "./events.ts";
import { DIALECT, setUp } from "./schema.ts";
import { Upkeep } from "./upkeep.ts";

const OWNER = "sqliteInbox";

/** What works on the file once it has its tables. */
export interface OpenFile {
  readonly disk: Disk;
  readonly clock: FileClock;
  readonly events: Events;
  readonly upkeep: Upkeep;
}

const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/** A file of deliveries. It is usable as soon as no other process has it locked. */
export class SqliteStore implements LeaseStore {
  readonly database: DatabaseSync;
  readonly #path: string;
  readonly #pace: Pace;
  readonly #retentionMs: number;
  readonly #onStored: () => void;
  readonly #batcher: Batcher;
  #file: OpenFile | undefined;
  isStoring = false;

  /**
   * @param onStored - Is called after each batch of deliveries.
   * @throws {ConfigurationError} for a file that cannot be used, unless it is locked.
   */
  constructor(path: string, pace: Pace, retentionMs: number, onStored: () => void) {
    this.#path = path;
    this.#pace = pace;
    this.#retentionMs = retentionMs;
    this.#onStored = onStored;
    this.#batcher = new Batcher((batch, isOver) => this.#storeBatch(batch, isOver));
    this.database = openFile(OWNER, path);
    try {
      this.open();
    } catch (error) {
      if (isLocked(error)) return;
      this.database.close();
      throw this.#explained(error);
    }
  }

  /** @throws while another process has the file locked. */
  open(): OpenFile {
    if (this.#file !== undefined) return this.#file;
    const { database } = this;
    setUp(database, this.#retentionMs);
    const clock = new FileClock(database, DIALECT.tables.meta);
    const events = new Events(database, clock, this.#pace, this.#retentionMs);
    const upkeep = new Upkeep(database, clock, this.#pace, this.#retentionMs);
    // Last, since it opens a file: what comes before may fail and be tried again.
    this.#file = { disk: openDisk(database), clock, events, upkeep };
    return this.#file;
  }

  close(): void {
    this.#file?.disk.close();
    this.database.close();
  }

  /** An error, as the user gets it: with the path of a file that cannot be used, and what to do. */
  #explained(error: unknown): unknown {
    const isUsable = this.#file !== undefined && !isLocked(error);
    return isUsable ? error : cannotUse(OWNER, this.#path, error);
  }

  /** Works on the file as soon as it is free. The work must have changed nothing if it throws. */
  async use<Result>(work: (file: OpenFile) => Result): Promise<Result> {
    try {
      return await whenUnlocked(() => work(this.open()));
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** As {@link SqliteStore.use}, in one transaction, which is on the disk when this resolves. */
  change<Result>(work: (file: OpenFile) => Result): Promise<Result> {
    return this.use((file) => {
      file.disk.check();
      return inTransaction(this.database, () => work(file));
    });
  }

  accept(delivery: NewDelivery): Promise<Receipt> {
    return this.#batcher.add(delivery);
  }

  async #storeBatch(
    batch: readonly NewDelivery[],
    isOver: (at: number) => boolean,
  ): Promise<Stored[]> {
    this.isStoring = true;
    try {
      const stored = await this.use(({ disk, events }) => {
        disk.check();
        return disk.write(() =>
          batch.map((delivery, at) => (isOver(at) ? undefined : events.store(delivery))),
        );
      });
      const { disk } = this.open();
      await disk.sync();
      disk.check();
      return stored;
    } finally {
      this.isStoring = false;
      this.#onStored();
    }
  }

  /**
   * How leases ended does not wait for the disk: an event whose "processed" is lost with the machine is
   * processed again, as if the machine had failed a moment before.
   */
  turn(
    ended: readonly EndedLease[],
    room: () => number,
    queues: readonly string[],
  ): Promise<Lease[]> {
    return this.use(({ disk, events }) => {
      const count = room();
      // A turn that changes nothing does not wait for other processes.
      if (ended.length === 0 && (count === 0 || events.nextDueInMs(queues) > 0)) return [];
      return disk.write(() => {
        for (const one of ended) events.end(one);
        return count > 0 ? events.take(count, queues) : [];
      });
    });
  }

  renew(tokens: readonly string[]): Promise<string[]> {
    return this.use(({ disk, events }) =>
      disk.write(() => tokens.filter((token) => !events.renew(token))),
    );
  }

  nextDueInMs(queues: readonly string[]): number {
    return this.open().events.nextDueInMs(queues);
  }

  dueCount(queues: readonly string[]): Promise<number> {
    return this.use(({ events }) => events.dueCount(queues));
  }

  maintain(queues: readonly string[]): Promise<Maintenance> {
    return this.use(({ disk, upkeep }) => disk.write(() => upkeep.run(queues)));
  }

  transaction(lease: Lease): Transaction {
    return <Result, Connection>(write: (connection: Connection) => Result | Promise<Result>) =>
      inTransactionWhenUnlocked(this.database, () => {
        const result = write(this.database as Connection);
        if (isThenable(result)) {
          throw new ConfigurationError(
            "With sqliteInbox, `transaction` takes a function that is not async: it commits when the function returns.",
          );
        }
        if (!this.open().events.done(lease)) throw notProcessedHere();
        return result;
      }) as Promise<Result>;
  }
}
