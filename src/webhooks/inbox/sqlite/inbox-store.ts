import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { describeError } from "../../../internal/describe-error.ts";
import { isLocked, whenUnlocked } from "../../../storage/sqlite/locks.ts";
import { FileClock } from "../../../storage/sqlite/meta.ts";
import { cannotUse, openFile, type SqliteSource } from "../../../storage/sqlite/open-file.ts";
import { fileOf, logOf, watchFile } from "../../../storage/sqlite/same-file.ts";
import { inTransaction, inTransactionWhenUnlocked } from "../../../storage/sqlite/transaction.ts";
import { isAsyncFunction, isThenable } from "../../../internal/thenable.ts";
import { Batcher, type Stored } from "../batcher.ts";
import { endedByHandler, notProcessedHere, SAVEPOINT, TransactionLeftError } from "../errors.ts";
import type { NewDelivery, Receipt, Transaction } from "../inbox-types.ts";
import type { Kinds } from "../kinds.ts";
import type { Lease, LeaseChanges, LeaseStore, Maintenance } from "../lease-store.ts";
import type { Pace } from "../pace.ts";
import { Events } from "./event-rows.ts";
import { DIALECT, setUp } from "./tables.ts";
import { Upkeep } from "./upkeep.ts";

const OWNER = "sqliteInbox";

/**
 * The disk below a database. Waiting for it takes most of the time of a commit, and would block this
 * process. So commits do not synchronise the log; it is synchronised in the background, with the same
 * call that SQLite makes, on the same file, before any receipt is returned.
 */
interface Disk {
  /** A transaction that is safe from a kill at once, and from a power cut after {@link Disk.sync}. */
  write<T>(work: () => T): T;
  /** Resolves when everything written before is on disk. */
  sync(): Promise<void>;
  /** @throws if nothing may be acknowledged until the file is opened again. */
  check(): void;
  close(): void;
}

export function openDisk(database: DatabaseSync): Disk {
  const [file, logFile] = [fileOf(database), logOf(database)];
  const [fileFailure, logFailure] = [watchFile(file), watchFile(logFile)];
  const fs = process.getBuiltinModule("node:fs");
  // Without a log (in memory, or by the file system), SQLite synchronises in the commit.
  const log = logFile === "" ? undefined : fs.openSync(logFile, "r+");
  let syncFailure: Error | undefined;
  return {
    write: (work) => {
      if (log !== undefined) database.exec("PRAGMA synchronous = NORMAL");
      try {
        return inTransaction(database, work);
      } finally {
        // For the user's own writes to this database.
        database.exec("PRAGMA synchronous = FULL");
      }
    },
    sync: () =>
      new Promise((resolve, reject) => {
        if (log === undefined) return resolve();
        fs.fdatasync(log, (error) => {
          if (error === null) return resolve();
          // The system may have dropped what it could not write, and tells so only once: a later call
          // succeeds, and the data is not on the disk.
          syncFailure ??= new Error(
            `${file} could not be written to the disk: ${describeError(error)}. Nothing is acknowledged until this process is restarted.`,
            { cause: error },
          );
          reject(syncFailure);
        });
      }),
    check: () => {
      const failure = syncFailure ?? fileFailure() ?? logFailure();
      if (failure !== undefined) throw failure;
    },
    close: () => {
      if (log !== undefined) fs.closeSync(log);
    },
  };
}

/** What works on the file once it has its tables. */
export interface OpenFile {
  readonly disk: Disk;
  readonly clock: FileClock;
  readonly events: Events;
  readonly upkeep: Upkeep;
}

/** A file of deliveries. It is usable as soon as no other process has it locked. */
export class SqliteStore implements LeaseStore {
  readonly database: DatabaseSync;
  readonly #path: SqliteSource;
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
  constructor(path: SqliteSource, pace: Pace, retentionMs: number, onStored: () => void) {
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
      const result = inTransaction(this.database, () => work(file));
      file.disk.check();
      return result;
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
  commit({ complete, fail, release, claim }: LeaseChanges): Promise<Lease[]> {
    return this.use(({ disk, events }) => {
      const count = claim.room();
      const hasEnded = complete.length + fail.length + release.length > 0;
      // What changes nothing does not wait for other processes.
      if (!hasEnded && (count === 0 || events.nextDueInMs(claim.kinds) > 0)) return [];
      return disk.write(() => {
        for (const lease of complete) events.complete(lease);
        for (const failed of fail) events.fail(failed);
        for (const lease of release) events.release(lease);
        return count > 0 ? events.claim(count, claim) : [];
      });
    });
  }

  extend(tokens: readonly string[]): Promise<string[]> {
    return this.use(({ disk, events }) =>
      disk.write(() => tokens.filter((token) => !events.extend(token))),
    );
  }

  nextDueInMs(kinds: Kinds): number {
    return this.open().events.nextDueInMs(kinds);
  }

  dueCount(kinds: Kinds): Promise<number> {
    return this.use(({ events }) => events.dueCount(kinds));
  }

  maintain(kinds: Kinds): Promise<Maintenance> {
    return this.use(({ disk, upkeep }) => disk.write(() => upkeep.run(kinds)));
  }

  transaction(lease: Lease): Transaction {
    return async <Result, Connection>(
      write: (connection: Connection) => Result | Promise<Result>,
    ): Promise<Result> => {
      if (isAsyncFunction(write)) throw new ConfigurationError(NOT_ASYNC);
      const kept = await inTransactionWhenUnlocked(this.database, () => {
        this.database.exec(`SAVEPOINT ${SAVEPOINT}`);
        const result = write(this.database as Connection);
        try {
          this.database.exec(`RELEASE ${SAVEPOINT}`);
        } catch (error) {
          // https://www.sqlite.org/lang_savepoint.html
          throw /no such savepoint/.test(String(error)) ? endedByHandler(error) : error;
        }
        if (isThenable(result)) {
          // If nothing waits for it, its rejection would end the process.
          Promise.resolve(result).catch(() => {});
          throw new TransactionLeftError(NOT_ASYNC);
        }
        if (!this.open().events.complete(lease)) throw notProcessedHere();
        return result as Result;
      });
      // What a handler wrote to a file that is gone must not count as processed in silence.
      this.open().disk.check();
      return kept;
    };
  }
}

const NOT_ASYNC =
  "With sqliteInbox, `transaction` takes a function that is not async: it commits when the function returns.";
