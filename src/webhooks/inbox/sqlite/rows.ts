import type { DatabaseSync } from "node:sqlite";
import type { Ended, Lease } from "../lease-worker.ts";
import {
  type DeadLetter,
  exactText,
  MOST_ATTEMPTS,
  type NewDelivery,
  noDeadLetter,
  type Pace,
  type Receipt,
  receiptFor,
  whyFailed,
} from "../types.ts";
import { prepareAll } from "./file.ts";
import { CHORES, STATEMENTS } from "./statements.ts";

/** What is done to the rows of an inbox. Nothing here begins or ends a transaction. */
export interface Rows {
  /** Stores a delivery. The receipt is good once the transaction is on disk. */
  store(delivery: NewDelivery): Receipt;
  /** Whether there is anything to take. */
  isDue(): boolean;
  take(count: number): Lease[];
  /** Whether the lease still held. */
  renew(token: string): boolean;
  end(ended: Ended): void;
  /** Whether the lease still held. */
  done(lease: Lease): boolean;
  /** Infinite where nothing is to fall due. */
  nextDueInMs(): number;
  deadLetters(): DeadLetter[];
  requeue(id: string): void;
}

const CHORES_EVERY_MS = 1_000;

/** Milliseconds since the machine started. */
const uptimeMs = () => Number(process.hrtime.bigint() / 1_000_000n);

const fromHex = (hex: string) => Buffer.from(hex, "hex");
const toHex = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString("hex");
const rowOf = (token: string) => Number(token.slice(token.indexOf("/") + 1));

export function rowsOf(
  database: DatabaseSync,
  { leaseMs, backoffMs }: Pace,
  retentionMs: number,
): Rows {
  const statements = prepareAll(database, STATEMENTS);
  const chores = prepareAll(database, CHORES);
  let choresAt = 0;

  function doChores(now: number, uptime: number): void {
    if (uptime - choresAt < CHORES_EVERY_MS) return;
    choresAt = uptime;
    chores.bury.run({ uptime, leaseMs });
    chores.reclaim.run({ uptime, leaseMs, now });
    chores.mend.run({ now });
    chores.forgetConflicts.run({ now });
    chores.forget.run({ now });
  }

  const done = ({ token }: Lease) =>
    statements.done.run(rowOf(token), token, Date.now() + retentionMs).changes === 1;

  return {
    store: ({ key, digest, event, raw, secretIndex, receivedAt }) => {
      const values = [fromHex(key), fromHex(digest), event, raw, secretIndex, receivedAt] as const;
      if (statements.insert.run(...values).changes === 1) return receiptFor("accepted");
      const { same } = statements.isRepeat.get(values[0], values[1]) as { same: number };
      if (same === 1) return receiptFor("duplicate");
      statements.insertConflict.run(...values);
      return receiptFor("conflict");
    },
    isDue: () => {
      const times = { now: Date.now(), uptime: uptimeMs(), leaseMs };
      return (statements.isDue.get(times) as { due: number }).due === 1;
    },
    take: (count) => {
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
    },
    renew: (token) => {
      const leaseUntil = uptimeMs() + leaseMs;
      return statements.renew.run({ id: rowOf(token), token, leaseUntil }).changes === 1;
    },
    done,
    end: (ended) => {
      const { token, attempt } = ended.lease;
      const [id, now] = [rowOf(token), Date.now()];
      if (ended.as === "done") done(ended.lease);
      else if (ended.as === "released") statements.released.run({ id, token, now });
      else {
        const state = attempt < MOST_ATTEMPTS ? "ready" : "dead";
        const dueAt = now + backoffMs(attempt);
        statements.failed.run({ id, token, state, dueAt, error: whyFailed(ended.error) });
      }
    },
    nextDueInMs: () => {
      const { due = Number.POSITIVE_INFINITY } = statements.nextDue.get() ?? {};
      return Number(due) - Date.now();
    },
    deadLetters: () =>
      statements.dead.all().map(({ key, event, raw, attempts, error }) => ({
        id: toHex(key),
        event: event as string,
        body: exactText(raw as Uint8Array),
        attempts: attempts as number,
        error: error as string,
      })),
    requeue: (id) => {
      const { changes } = statements.requeue.run({ key: fromHex(id), now: Date.now() });
      if (changes === 0) throw noDeadLetter(id);
    },
  };
}
