import type { DatabaseSync, StatementSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import type { FileClock } from "../../../internal/sqlite/meta.ts";
import { prepareAll } from "../../../internal/sqlite/transaction.ts";
import { errorText, isLastAttempt, PROCESS_DIED, unreadable } from "../errors.ts";
import type { EndedLease, Lease } from "../lease-worker.ts";
import { deliveryValues, hexOf, type LedgerRow, requestIn } from "../ledger/rows.ts";
import type { Pace } from "../pace.ts";
import { MAX_ATTEMPTS, type NewDelivery, queueOf, type Receipt, receiptFor } from "../types.ts";
import { turnStatements } from "./statements.ts";

/** A lease is a row and a number, which the row holds while it is leased. */
const leaseToken = (id: number, token: number): string => `${id}/${token}`;
const partsOf = (token: string) => token.split("/").map(Number) as [id: number, token: number];

/** A number that no other lease of the row has. */
const newToken = () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);

/** What is done to the rows of events in turns. Nothing here begins or ends a transaction. */
export class Rows {
  readonly #statements: Record<keyof ReturnType<typeof turnStatements>, StatementSync>;
  readonly #clock: FileClock;
  readonly #pace: Pace;

  constructor(database: DatabaseSync, clock: FileClock, pace: Pace, retentionMs: number) {
    this.#statements = prepareAll(database, turnStatements(retentionMs));
    this.#clock = clock;
    this.#pace = pace;
  }

  /** Stores a delivery. The receipt is valid when the transaction is on disk. */
  store(delivery: NewDelivery): Receipt {
    return this.#store(delivery, false).receipt;
  }

  /**
   * Stores a delivery and, if it is new, leases it: its row need not be found, and written again.
   * Without a lease, the event is not new, or is a dead letter.
   */
  storeLeased(delivery: NewDelivery): { readonly receipt: Receipt; readonly lease?: Lease } {
    return this.#store(delivery, delivery.deadLetterReason === undefined);
  }

  #store(delivery: NewDelivery, isLeased: boolean): { receipt: Receipt; lease?: Lease } {
    const { formerKey, digest, event, deadLetterReason } = delivery;
    if (formerKey !== undefined) {
      const former = this.#seen(Buffer.from(formerKey, "hex"), Buffer.from(digest, "hex"));
      if (former !== undefined) return { receipt: receiptFor(former) };
    }
    const values = deliveryValues(delivery);
    const token = isLeased ? newToken() : null;
    const { changes, lastInsertRowid } = this.#statements.insert.run(
      ...values,
      queueOf(event),
      deadLetterReason === undefined ? "pending" : "dead",
      deadLetterReason ?? null,
      isLeased ? 1 : 0,
      uptimeMs() + (isLeased ? this.#pace.leaseMs : 0),
      token,
    );
    if (changes === 1) {
      const receipt = receiptFor("accepted");
      if (token === null) return { receipt };
      const { key, raw, receivedAt, traceContext, source } = delivery;
      const lease = { key, raw, attempt: 1, receivedAt, traceContext, source };
      return { receipt, lease: { ...lease, token: leaseToken(Number(lastInsertRowid), token) } };
    }
    const seen = this.#seen(values[0], values[1]);
    if (seen === undefined) this.#statements.insertConflict.run(...values);
    return { receipt: receiptFor(seen ?? "conflict") };
  }

  #seen(key: Uint8Array, digest: Uint8Array): "duplicate" | "conflict" | undefined {
    const row = this.#statements.seen.get(key, digest);
    if (row === undefined) return undefined;
    return row.duplicate === 1 ? "duplicate" : "conflict";
  }

  /** Leases what has been due for longest, of the queues. */
  take(count: number, queues: readonly string[]): Lease[] {
    if (count === 0) return [];
    const now = uptimeMs();
    const due = queues.flatMap(
      (queue) => this.#statements.due.all(queue, now, count) as { id: number; due_at: number }[],
    );
    const first = due.sort((a, b) => a.due_at - b.due_at).slice(0, count);
    const token = newToken();
    // By their ids, since rows that were stored together lie together.
    return first
      .sort((a, b) => a.id - b.id)
      .flatMap(({ id }) => this.#lease(id, token, now + this.#pace.leaseMs) ?? []);
  }

  #lease(id: number, token: number, until: number): Lease | undefined {
    const row = this.#statements.leasable.get(id) as LedgerRow;
    const died = Number(row.attempts);
    if (died >= MAX_ATTEMPTS) {
      this.#statements.bury.run(id, PROCESS_DIED);
      return undefined;
    }
    try {
      const lease = { key: hexOf(row.key), raw: row.raw as Uint8Array, ...requestIn(row) };
      this.#statements.lease.run(id, token, until);
      return { ...lease, attempt: died + 1, token: leaseToken(id, token) };
    } catch (error) {
      this.#statements.bury.run(id, unreadable(error));
      return undefined;
    }
  }

  /** Returns whether the lease still held. */
  renew(lease: string): boolean {
    const { changes } = this.#statements.renew.run(
      ...partsOf(lease),
      uptimeMs() + this.#pace.leaseMs,
    );
    return changes === 1;
  }

  /** Returns whether the lease still held. */
  done({ token }: Lease): boolean {
    return this.#statements.done.run(...partsOf(token), this.#clock.now()).changes === 1;
  }

  end(ended: EndedLease): void {
    const { token, attempt } = ended.lease;
    const now = uptimeMs();
    if (ended.as === "done") this.done(ended.lease);
    else if (ended.as === "released") this.#statements.released.run(...partsOf(token), now);
    else {
      const state = isLastAttempt(attempt, ended.error) ? "dead" : "pending";
      const dueAt = now + this.#pace.backoffMs(attempt);
      this.#statements.failed.run(...partsOf(token), state, dueAt, errorText(ended.error));
    }
  }

  /** Infinite if nothing waits in the queues. */
  nextDueInMs(queues: readonly string[]): number {
    const due = queues.map((queue) => this.#statements.firstDue.get(queue)?.due as number | null);
    const first = Math.min(...due.filter((at) => at !== null), Number.POSITIVE_INFINITY);
    return first - uptimeMs();
  }

  dueCount(queues: readonly string[]): number {
    const now = uptimeMs();
    const counts = queues.map((queue) => this.#statements.dueCount.get(queue, now)?.count);
    return counts.reduce<number>((sum, count) => sum + Number(count), 0);
  }
}
