import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { notProcessedHere } from "../errors.ts";
import type { EndedLease, Lease, LeaseStore } from "../lease-worker.ts";
import type { NewDelivery, Receipt, Transaction } from "../types.ts";
import type { Disk } from "./disk.ts";
import { BUSY_DEADLINE_MS, BUSY_RETRY_MS, inTransaction, isBusy, whenFree } from "./file.ts";
import type { Rows } from "./rows.ts";

/** A commit stands the event loop still, so it has only so many deliveries, and so many bytes of them. */
const MAX_GROUP = 500;
const MAX_GROUP_BYTES = 4_000_000;

/** While others wait, new events get at most this share of what is leased: the others have the rest. */
const FRESH_SHARE = 0.75;

/** How often to look for due events that this process does not know of: retries, those of others. */
const LOOK_INTERVAL_MS = 100;

/** A delivery whose sender waits for the receipt. */
interface Pending {
  readonly delivery: NewDelivery;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
  /** Until when it waits for a file that another process has locked. */
  readonly deadline: number;
}

/** A delivery that is written, and not on disk yet. */
interface Written {
  readonly pending: Pending;
  readonly receipt: Receipt;
}

/** How many of the deliveries one commit has; at least one, whatever its size. */
function sizeOfGroup(pending: readonly Pending[]): number {
  let bytes = 0;
  const over = pending.findIndex(({ delivery }, at) => {
    bytes += delivery.raw.length;
    return at === MAX_GROUP || (at > 0 && bytes > MAX_GROUP_BYTES);
  });
  return over < 0 ? pending.length : over;
}

const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/** Groups the deliveries that arrive together, and writes each group in one commit. */
export class SqliteStore implements LeaseStore {
  readonly #database: DatabaseSync;
  readonly #disk: Disk;
  readonly #rows: Rows;
  readonly #poll: () => void;
  #pending: Pending[] = [];
  #written: Written[] = [];
  #isSyncing = false;
  /** There were due events for which there was no room. */
  #mayBeBehind = true;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isFlushScheduled = false;
  /** Since when another process has had the file locked. */
  #busySince: number | undefined;

  /** @param poll - Has the worker write and take what it can, where there is a worker. */
  constructor(database: DatabaseSync, disk: Disk, rows: Rows, poll: () => void) {
    this.#database = database;
    this.#disk = disk;
    this.#rows = rows;
    this.#poll = poll;
  }

  accept(delivery: NewDelivery): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + BUSY_DEADLINE_MS;
      this.#pending.push({ delivery, resolve, reject, deadline });
      this.#flushSoon();
    });
  }

  /**
   * One commit for everything that arrived meanwhile. How leases ended does not wait for the disk: an
   * event whose "processed" is lost with the machine is processed again, as if the machine had failed
   * a moment before.
   */
  turn(ended: readonly EndedLease[], count: number): Lease[] {
    const group = this.#takePending();
    if (group.length + ended.length === 0) {
      if (count === 0) return [];
      if (this.#rows.isDue()) this.#mayBeBehind = true;
      else if (!this.#rows.hasToForget()) return [];
    }
    try {
      const leases = this.#commit(group, ended, count);
      this.#busySince = undefined;
      return leases;
    } catch (error) {
      this.#giveBack(group, error);
      throw error;
    }
  }

  #takePending(): Pending[] {
    const group = this.#pending.splice(0, sizeOfGroup(this.#pending));
    const failure = group.length > 0 ? this.#disk.failure() : undefined;
    if (failure === undefined) return group;
    for (const { reject } of group) reject(failure);
    return [];
  }

  /** After a commit that failed: what waits for a locked file is tried again until its deadline. */
  #giveBack(group: readonly Pending[], error: unknown): void {
    const waiting = isBusy(error)
      ? group.filter(({ deadline }) => performance.now() < deadline)
      : [];
    for (const pending of group) if (!waiting.includes(pending)) pending.reject(error);
    if (waiting.length === 0) return;
    this.#pending = waiting.concat(this.#pending);
    setTimeout(() => this.#flushSoon(), BUSY_RETRY_MS);
  }

  /** A locked file is retried soon. It is a failure only when it stays locked for long. */
  retryDelayMs(error: unknown): number | undefined {
    if (!isBusy(error)) return undefined;
    this.#busySince ??= performance.now();
    return performance.now() - this.#busySince < BUSY_DEADLINE_MS ? BUSY_RETRY_MS : undefined;
  }

  #commit(group: readonly Pending[], ended: readonly EndedLease[], count: number): Lease[] {
    const { written, leases } = this.#disk.write(() => {
      const isBehind = count > 0 && this.#isBehind();
      const share = isBehind ? Math.floor(count * FRESH_SHARE) : count;
      const fresh = this.#rows.freshLeases(Math.min(share, group.length));
      const written = group.map((pending): Written => {
        return { pending, receipt: this.#rows.store(pending.delivery, fresh) };
      });
      for (const one of ended) this.#rows.end(one);
      const room = count - fresh.leases.length;
      const waiting = this.#rows.take(isBehind ? room : 0);
      // Of those that were waiting, or were stored and not leased, some may be left.
      if (isBehind) this.#mayBeBehind = waiting.length === room;
      else this.#mayBeBehind ||= written.length > fresh.leases.length;
      return { written, leases: [...fresh.leases, ...waiting] };
    });
    this.#written = this.#written.concat(written);
    void this.#sync();
    return leases;
  }

  /** Whether there may be due events that are not new. */
  #isBehind(): boolean {
    const now = performance.now();
    if (!this.#mayBeBehind && now - this.#lookedAt < LOOK_INTERVAL_MS) return false;
    this.#lookedAt = now;
    this.#mayBeBehind = this.#rows.isDue();
    return this.#mayBeBehind;
  }

  async #sync(): Promise<void> {
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    while (this.#written.length > 0) {
      const group = this.#written;
      this.#written = [];
      try {
        await this.#disk.sync();
        const failure = this.#disk.failure();
        if (failure !== undefined) throw failure;
        for (const { pending, receipt } of group) pending.resolve(receipt);
      } catch (error) {
        for (const { pending } of group) pending.reject(error);
      }
    }
    this.#isSyncing = false;
    this.#flushSoon();
  }

  /** After this turn of the event loop, which may bring more deliveries. */
  #flushSoon(): void {
    if (this.#isFlushScheduled || this.#isSyncing) return;
    this.#isFlushScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushScheduled = false;
    this.#poll();
    try {
      // Without a worker, the deliveries are still here.
      this.turn([], 0);
    } catch {
      // The senders were informed.
    }
  }

  renew(tokens: readonly string[]): string[] {
    return this.#disk.write(() => tokens.filter((token) => !this.#rows.renew(token)));
  }

  nextDueInMs(): number {
    return this.#rows.nextDueInMs();
  }

  isBusy(): boolean {
    return this.#isSyncing || this.#isFlushScheduled;
  }

  transaction(lease: Lease): Transaction {
    return async <Result, Connection>(
      write: (connection: Connection) => Result | Promise<Result>,
    ) =>
      whenFree(() =>
        inTransaction(this.#database, () => {
          const result = write(this.#database as Connection);
          if (isThenable(result)) {
            throw new ConfigurationError(
              "With sqliteInbox, `transaction` takes a function that is not async: it commits when the function returns.",
            );
          }
          if (!this.#rows.done(lease)) throw notProcessedHere();
          return result;
        }),
      );
  }
}
