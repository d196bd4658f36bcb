import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  atWork,
  type Inbox,
  MOST_ATTEMPTS,
  type NewDelivery,
  noDeadLetter,
  type Pace,
  type Receipt,
  receiptFor,
  STANDARD_PACE,
  STANDARD_RETENTION_MS,
  type Transaction,
  whyFailed,
} from "./contract.ts";
import {
  type Ended,
  type Lease,
  type LeaseStore,
  type LeaseWorker,
  startLeaseWorker,
} from "./leases.ts";
import { inTransaction, openFile, prepareAll } from "./sqlite-file.ts";
import { CHORES, STATEMENTS } from "./sqlite-statements.ts";

/** An inbox on a file. */
export interface SqliteInbox extends Inbox {
  /** The database: for tables of your own that are to be written in one transaction with "done". */
  readonly database: DatabaseSync;
  /** Closes the file. After `receiver.stop()`. */
  close(): void;
}

/** An accept that waits for its commit. */
interface Pending {
  readonly delivery: NewDelivery;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

const CHORES_EVERY_MS = 1_000;

/** Milliseconds since the machine started. */
const uptimeMs = () => Number(process.hrtime.bigint() / 1_000_000n);

const fromHex = (hex: string) => Buffer.from(hex, "hex");
const toHex = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString("hex");

const rowOf = (token: string) => Number(token.slice(token.indexOf("/") + 1));

/**
 * Keeps deliveries in a SQLite file: durable before the 200, worked off by any process on this
 * machine that shares the file, nothing lost at any `kill -9`. Needs no server, and nothing but Node.
 *
 * Deliveries that come at once share one commit; each is acknowledged after it. A handler's
 * `transaction` runs its own writes to tables in this file and "done" in one transaction.
 *
 * @param path - The file; it is made where it is missing. Not on a network file system.
 * @param options - `retentionMs`: how long what was worked off is remembered, so that a late repeat
 * is known. Default: 14 days.
 * @throws {ConfigurationError} where the file cannot be opened or written, or is no database.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { sqliteInbox } from "malipo/inbox/sqlite";
 *
 * const receiver = createWebhookReceiver({ secret, inbox: sqliteInbox("/var/lib/shop/inbox.db") });
 * ```
 */
export function sqliteInbox(
  path: string,
  options: {
    retentionMs?: number | undefined;
    /** @internal */
    pace?: Pace | undefined;
  } = {},
): SqliteInbox {
  const { retentionMs = STANDARD_RETENTION_MS, pace = STANDARD_PACE } = options;
  const database = openFile(path);
  const statements = prepareAll(database, STATEMENTS);
  const { forget, forgetConflicts, mend, ...overdue } = prepareAll(database, CHORES);
  const { leaseMs } = pace;
  let pending: Pending[] = [];
  let worker: LeaseWorker | undefined;
  let choresAt = 0;

  /**
   * Writes how work ended without waiting for the disk: what is done, and lost with the machine, is
   * worked again, as if the machine had failed a moment before. No kill loses it.
   */
  function inLightTransaction<T>(work: () => T): T {
    database.exec("PRAGMA synchronous = NORMAL");
    try {
      return inTransaction(database, work);
    } finally {
      database.exec("PRAGMA synchronous = FULL");
    }
  }

  function store({ key, digest, event, raw, secretIndex, receivedAt }: NewDelivery): Receipt {
    const values = [fromHex(key), fromHex(digest), event, raw, secretIndex, receivedAt] as const;
    if (statements.insert.run(...values).changes === 1) return receiptFor("accepted");
    if (statements.isRepeat.get(values[0], values[1])?.same === 1) return receiptFor("duplicate");
    statements.insertConflict.run(...values);
    return receiptFor("conflict");
  }

  const done = ({ token }: Lease) =>
    statements.done.run(rowOf(token), token, Date.now() + retentionMs);

  function end(ended: Ended): void {
    const { token, attempt } = ended.lease;
    const [id, now] = [rowOf(token), Date.now()];
    if (ended.as === "done") done(ended.lease);
    else if (ended.as === "released") statements.released.run({ id, token, now });
    else {
      const state = attempt < MOST_ATTEMPTS ? "ready" : "dead";
      const dueAt = now + pace.backoffMs(attempt);
      statements.failed.run({ id, token, state, dueAt, error: whyFailed(ended.error) });
    }
  }

  function doChores(now: number, uptime: number): void {
    if (uptime - choresAt < CHORES_EVERY_MS) return;
    choresAt = uptime;
    overdue.bury.run({ uptime, leaseMs });
    overdue.reclaim.run({ uptime, leaseMs, now });
    mend.run({ now });
    forgetConflicts.run({ now });
    forget.run({ now });
  }

  function take(count: number): Lease[] {
    const [now, uptime] = [Date.now(), uptimeMs()];
    doChores(now, uptime);
    if (count === 0) return [];
    const token = globalThis.crypto.randomUUID();
    const rows = statements.take.all({ now, token, count, leaseUntil: uptime + leaseMs });
    return rows.map(({ key, raw, attempts, token }) => ({
      key: toHex(key),
      raw: raw as Uint8Array,
      attempt: attempts as number,
      token: token as string,
    }));
  }

  const isDue = () =>
    statements.isDue.get({ now: Date.now(), uptime: uptimeMs(), leaseMs })?.due === 1;

  /** Everything that this turn of the event loop has brought, in one commit. */
  function turn(ended: readonly Ended[], count: number): Lease[] {
    const batch = pending;
    pending = [];
    if (batch.length + ended.length === 0 && !(count > 0 && isDue())) return [];
    const write = () => {
      const receipts = batch.map(({ delivery }) => store(delivery));
      for (const one of ended) end(one);
      return [receipts, take(count)] as const;
    };
    try {
      const [receipts, leases] =
        batch.length > 0 ? inTransaction(database, write) : inLightTransaction(write);
      for (const [at, { resolve }] of batch.entries()) resolve(receipts[at] as Receipt);
      return leases;
    } catch (error) {
      for (const { reject } of batch) reject(error);
      throw error;
    }
  }

  function flush(): void {
    worker?.look();
    // Nobody works, or no longer.
    if (pending.length === 0) return;
    try {
      turn([], 0);
    } catch {
      // They were told.
    }
  }

  const leases: LeaseStore = {
    turn,
    renew: (tokens) => {
      const leaseUntil = uptimeMs() + leaseMs;
      const renew = (token: string) =>
        statements.renew.run({ id: rowOf(token), token, leaseUntil }).changes === 1;
      return inLightTransaction(() => tokens.filter((token) => !renew(token)));
    },
    nextDueInMs: () => {
      const { due } = statements.nextDue.get() ?? {};
      return due === undefined ? undefined : Number(due) - Date.now();
    },
    transaction:
      (lease): Transaction =>
      async <Result, Connection>(write: (connection: Connection) => Result | Promise<Result>) =>
        inTransaction(database, () => {
          const result = write(database as Connection);
          if (typeof (result as { then?: unknown } | null | undefined)?.then === "function") {
            throw new ConfigurationError(
              "With SQLite, `transaction` takes a function that is not async: the commit comes when it returns.",
            );
          }
          if (done(lease).changes !== 1) {
            throw new Error("The event is done already, or its lease was lost to another process.");
          }
          return result;
        }),
  };

  return {
    database,
    accept: (delivery) =>
      new Promise((resolve, reject) => {
        if (pending.length === 0) setImmediate(flush);
        pending.push({ delivery, resolve, reject });
      }),
    start: async (work) => {
      if (worker !== undefined) throw atWork();
      worker = startLeaseWorker(leases, work, pace);
    },
    stop: async (timeoutMs) => {
      await worker?.stop(timeoutMs);
      worker = undefined;
    },
    deadLetters: async () =>
      statements.dead.all().map(({ key, event, raw, attempts, error }) => ({
        id: toHex(key),
        event: event as string,
        body: new TextDecoder().decode(raw as Uint8Array),
        attempts: attempts as number,
        error: error as string,
      })),
    requeue: async (id) => {
      const { changes } = statements.requeue.run({ key: fromHex(id), now: Date.now() });
      if (changes === 0) throw noDeadLetter(id);
      worker?.look();
    },
    close: () => database.close(),
  };
}
