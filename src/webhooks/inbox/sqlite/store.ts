import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import {
  isLocked,
  LOCK_RETRY_MS,
  MAX_LOCKED_MS,
  whenUnlocked,
} from "../../../internal/sqlite/locks.ts";
import { inTransactionWhenUnlocked } from "../../../internal/sqlite/transaction.ts";
import { Batcher, type WaitingDelivery } from "../batcher.ts";
import { notProcessedHere } from "../errors.ts";
import type { EndedLease, Lease, LeaseStore, Maintenance } from "../lease-worker.ts";
import { type NewDelivery, queueOf, type Receipt, type Transaction } from "../types.ts";
import type { Disk } from "./disk.ts";
import type { Rows } from "./rows.ts";
import { MAINTENANCE_INTERVAL_MS, type Upkeep } from "./upkeep.ts";

/** While others wait, new events get at most this share of what is leased: the others have the rest. */
const FRESH_SHARE = 0.75;

/** How often to look for due events that this process does not know of: retries, those of others. */
const LOOK_INTERVAL_MS = 100;

/** Deliveries that the next turn writes, and what became of them. */
interface Group {
  readonly deliveries: readonly NewDelivery[];
  end?: () => Receipt[];
}

const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/** Writes each batch of deliveries in one commit, with the ends of leases and the new ones. */
export class SqliteStore implements LeaseStore {
  readonly #database: DatabaseSync;
  readonly #disk: Disk;
  readonly #rows: Rows;
  readonly #upkeep: Upkeep;
  readonly #poll: () => void;
  readonly #batcher: Batcher;
  #group: Group | undefined;
  /** There were due events for which there was no room. */
  #mayBeBehind = true;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Since when another process has had the file locked. */
  #busySince: number | undefined;

  /** @param poll - Has the workers write and take what they can. */
  constructor(database: DatabaseSync, disk: Disk, rows: Rows, upkeep: Upkeep, poll: () => void) {
    this.#database = database;
    this.#disk = disk;
    this.#rows = rows;
    this.#upkeep = upkeep;
    this.#poll = poll;
    this.#batcher = new Batcher((batch) => this.#storeBatch(batch), { onIdle: poll });
  }

  accept(delivery: NewDelivery): Promise<Receipt> {
    return this.#batcher.add(delivery);
  }

  async #storeBatch(batch: readonly WaitingDelivery[]): Promise<void> {
    this.#checkDisk();
    const written = await whenUnlocked(() => {
      const live = batch.filter(({ isOver }) => !isOver());
      const receipts = this.#write(live.map(({ delivery }) => delivery));
      return live.map(
        ({ resolve }, at) =>
          () =>
            resolve(receipts[at] as Receipt),
      );
    });
    await this.#disk.sync();
    this.#checkDisk();
    for (const resolve of written) resolve();
  }

  #checkDisk(): void {
    const failure = this.#disk.failure();
    if (failure !== undefined) throw failure;
  }

  /** Writes deliveries in the next turn of a worker; in a turn without one if there is none. */
  #write(deliveries: readonly NewDelivery[]): Receipt[] {
    const group: Group = { deliveries };
    this.#group = group;
    this.#poll();
    if (group.end === undefined) this.turn([], 0, []);
    return (group.end as () => Receipt[])();
  }

  /**
   * How leases ended does not wait for the disk: an event whose "processed" is lost with the machine is
   * processed again, as if the machine had failed a moment before.
   */
  turn(ended: readonly EndedLease[], count: number, queues: readonly string[]): Lease[] {
    const group = this.#group;
    this.#group = undefined;
    if (group === undefined && ended.length === 0) {
      if (count === 0 || this.#rows.nextDueInMs(queues) > 0) return [];
      this.#mayBeBehind = true;
    }
    try {
      const { receipts, leases } = this.#disk.write(() =>
        this.#commit(group?.deliveries ?? [], ended, count, queues),
      );
      if (group !== undefined) group.end = () => receipts;
      this.#busySince = undefined;
      return leases;
    } catch (error) {
      if (group !== undefined) {
        group.end = () => {
          throw error;
        };
      }
      throw error;
    }
  }

  /** A locked file is retried soon. It is a failure only if it stays locked for long. */
  retryDelayMs(error: unknown): number | undefined {
    if (!isLocked(error)) return undefined;
    this.#busySince ??= performance.now();
    return performance.now() - this.#busySince < MAX_LOCKED_MS ? LOCK_RETRY_MS : undefined;
  }

  #commit(
    deliveries: readonly NewDelivery[],
    ended: readonly EndedLease[],
    count: number,
    queues: readonly string[],
  ): { receipts: Receipt[]; leases: Lease[] } {
    const isBehind = count > 0 && this.#isBehind(queues);
    const share = isBehind ? Math.floor(count * FRESH_SHARE) : count;
    const fresh: Lease[] = [];
    const receipts = deliveries.map((delivery) => {
      const isTaken = fresh.length < share && queues.includes(queueOf(delivery.event));
      if (!isTaken) return this.#rows.store(delivery);
      const { receipt, lease } = this.#rows.storeLeased(delivery);
      if (lease !== undefined) fresh.push(lease);
      return receipt;
    });
    for (const one of ended) this.#rows.end(one);
    const room = count - fresh.length;
    const waiting = isBehind ? this.#rows.take(room, queues) : [];
    // Of those that were waiting, or were stored and not leased, some may be left.
    if (isBehind) this.#mayBeBehind = waiting.length === room;
    else this.#mayBeBehind ||= deliveries.length > fresh.length;
    return { receipts, leases: [...fresh, ...waiting] };
  }

  /** Whether there may be due events that are not new. */
  #isBehind(queues: readonly string[]): boolean {
    const now = performance.now();
    if (!this.#mayBeBehind && now - this.#lookedAt < LOOK_INTERVAL_MS) return false;
    this.#lookedAt = now;
    this.#mayBeBehind = this.#rows.nextDueInMs(queues) <= 0;
    return this.#mayBeBehind;
  }

  renew(tokens: readonly string[]): string[] {
    return this.#disk.write(() => tokens.filter((token) => !this.#rows.renew(token)));
  }

  nextDueInMs(queues: readonly string[]): number {
    return this.#rows.nextDueInMs(queues);
  }

  dueCount(queues: readonly string[]): number {
    return this.#rows.dueCount(queues);
  }

  maintain(queues: readonly string[]): Maintenance {
    // An idle process writes nothing.
    return this.#upkeep.isDue(queues)
      ? this.#disk.write(() => this.#upkeep.run(queues))
      : { warnings: [], nextInMs: MAINTENANCE_INTERVAL_MS };
  }

  isBusy(): boolean {
    return this.#batcher.isBusy;
  }

  transaction(lease: Lease): Transaction {
    return <Result, Connection>(write: (connection: Connection) => Result | Promise<Result>) =>
      inTransactionWhenUnlocked(this.#database, () => {
        const result = write(this.#database as Connection);
        if (isThenable(result)) {
          throw new ConfigurationError(
            "With sqliteInbox, `transaction` takes a function that is not async: it commits when the function returns.",
          );
        }
        if (!this.#rows.done(lease)) throw notProcessedHere();
        return result;
      }) as Promise<Result>;
  }
}
