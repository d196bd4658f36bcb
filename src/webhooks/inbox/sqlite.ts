import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  backoffMs,
  type Inbox,
  MOST_ATTEMPTS,
  type NewDelivery,
  noDeadLetter,
  type Receipt,
  receiptFor,
  STANDARD_RETENTION_MS,
  type Transaction,
  whyFailed,
} from "./contract.ts";
import { type Lease, type LeaseStore, type LeaseWorker, startLeaseWorker } from "./leases.ts";
import { LEASE_MS, SCHEMA, STATEMENTS } from "./sqlite-statements.ts";

/** An inbox on a file. */
export interface SqliteInbox extends Inbox {
  /** The database: for tables of your own that are to be written in one transaction with "done". */
  readonly database: DatabaseSync;
  /** Closes the file. After `receiver.stop()`. */
  close(): void;
}

function open(path: string): DatabaseSync {
  // Asked for at run time: a bundle for a runtime without it should fail here, and say why.
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new ConfigurationError("The SQLite inbox needs node:sqlite: Node 22.13 or later.");
  }
  const database = new sqlite.DatabaseSync(path);
  // First of all, so that whatever follows waits for the other processes on this file.
  database.exec("PRAGMA busy_timeout = 5000");
  database.exec("PRAGMA journal_mode = WAL");
  // A delivery must be on disk before it is acknowledged.
  database.exec("PRAGMA synchronous = FULL");
  database.exec(SCHEMA);
  return database;
}

const CHORES_EVERY_MS = 5_000;

/** An accept that waits for its commit. */
interface Pending {
  readonly delivery: NewDelivery;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

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
 * @throws {Error} where the file cannot be opened, or is no database.
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
  { retentionMs = STANDARD_RETENTION_MS }: { retentionMs?: number | undefined } = {},
): SqliteInbox {
  const database = open(path);
  const statements = Object.fromEntries(
    Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)]),
  ) as Record<keyof typeof STATEMENTS, ReturnType<DatabaseSync["prepare"]>>;
  let pending: Pending[] = [];
  let worker: LeaseWorker | undefined;
  let choresAt = 0;

  function inTransaction<T>(work: () => T): T {
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  function store({ key, digest, event, raw, secretIndex, receivedAt }: NewDelivery): Receipt {
    const values = { key, digest, event, raw, secretIndex, receivedAt };
    if (statements.insert.run(values).changes === 1) return receiptFor("accepted");
    const { digest: stored } = statements.digest.get({ key }) as { digest: string };
    if (stored === digest) return receiptFor("duplicate");
    statements.insertConflict.run(values);
    return receiptFor("conflict");
  }

  /** Stores what has come meanwhile, in one commit. */
  function flush(): void {
    const batch = pending;
    pending = [];
    try {
      const receipts = inTransaction(() => batch.map(({ delivery }) => store(delivery)));
      for (const [at, { resolve }] of batch.entries()) resolve(receipts[at] as Receipt);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    worker?.look();
  }

  const finish = ({ key, token }: Lease): boolean => {
    const keepUntil = Date.now() + retentionMs;
    return statements.done.run({ key, token, keepUntil }).changes === 1;
  };

  const leases: LeaseStore = {
    take: (count) => {
      const now = Date.now();
      const token = globalThis.crypto.randomUUID();
      if (Math.abs(now - choresAt) >= CHORES_EVERY_MS) {
        choresAt = now;
        statements.bury.run({ now, most: MOST_ATTEMPTS });
        statements.forget.run({ now });
      }
      const rows = statements.take.all({ now, token, count, leaseUntil: now + LEASE_MS });
      return rows.map(({ key, raw, attempts }) => ({
        key: key as string,
        raw: raw as Uint8Array,
        attempt: attempts as number,
        token: `${token}/${key}`,
      }));
    },
    renew: (tokens) => {
      const leaseUntil = Date.now() + LEASE_MS;
      return tokens.filter((token) => statements.renew.run({ token, leaseUntil }).changes === 0);
    },
    done: (lease) => {
      finish(lease);
    },
    fail: ({ key, token, attempt }, error) => {
      const dead = attempt >= MOST_ATTEMPTS;
      const dueAt = Date.now() + backoffMs(attempt);
      const state = dead ? "dead" : "ready";
      statements.fail.run({ key, token, state, dueAt, error: whyFailed(error) });
    },
    release: ({ key, token }) => {
      statements.release.run({ key, token, now: Date.now() });
    },
    nextDueInMs: () => {
      const { due } = statements.nextDue.get() as { due: number | null };
      return due === null ? undefined : due - Date.now();
    },
    transaction:
      (lease): Transaction =>
      async (write) =>
        inTransaction(() => {
          const result = write(database);
          if (result instanceof Promise) {
            throw new ConfigurationError(
              "With SQLite, `transaction` takes a function that is not async: the commit comes when it returns.",
            );
          }
          if (!finish(lease))
            throw new Error("The lease was lost: another process works this event.");
          return result;
        }),
  };

  return {
    database,
    accept: (delivery) =>
      new Promise((resolve, reject) => {
        // All that this turn of the event loop brings goes into one commit.
        if (pending.length === 0) setImmediate(flush);
        pending.push({ delivery, resolve, reject });
      }),
    start: async (work) => {
      worker = startLeaseWorker(leases, work);
    },
    stop: async (timeoutMs) => {
      await worker?.stop(timeoutMs);
      worker = undefined;
    },
    deadLetters: async () =>
      statements.dead.all().map(({ key, event, raw, attempts, error }) => ({
        id: key as string,
        event: event as string,
        body: new TextDecoder().decode(raw as Uint8Array),
        attempts: attempts as number,
        error: error as string,
      })),
    requeue: async (id) => {
      if (statements.requeue.run({ key: id, now: Date.now() }).changes === 0)
        throw noDeadLetter(id);
      worker?.look();
    },
    close: () => database.close(),
  };
}
