import type { DatabaseSync, StatementSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import type { FileClock } from "../../../internal/sqlite/meta.ts";
import { prepareAll } from "../../../internal/sqlite/transaction.ts";
import { PROCESS_DIED, unreadable } from "../errors.ts";
import type { EndedLease, Lease } from "../lease-store.ts";
import {
  bytesOfHex,
  DELIVERY_COLUMNS,
  deliveryValues,
  hexOf,
  type LedgerRow,
  requestIn,
} from "../ledger/rows.ts";
import { asDone } from "../ledger/statements.ts";
import type { Pace } from "../pace.ts";
import { MAX_ATTEMPTS, type NewDelivery, queueOf, type Receipt } from "../types.ts";
import { DIALECT } from "./schema.ts";

const { events, conflicts } = DIALECT.tables;

/** Each queue of a list in JSON, so that the index is used, which begins with the queue. */
const QUEUES = "json_each(?1) AS q";
const PENDING = `FROM ${events} WHERE state = 'pending' AND queue = q.value`;

const statementsFor = (retentionMs: number) => ({
  insert: `
    INSERT INTO ${events} (${DELIVERY_COLUMNS}, queue, state, error, due_at)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14
    WHERE NOT EXISTS (SELECT 1 FROM ${conflicts} WHERE key = ?1 AND digest = ?2)
    ON CONFLICT (key) DO NOTHING
  `,
  insertConflict: `
    INSERT INTO ${conflicts} (${DELIVERY_COLUMNS}, state)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'open')
  `,
  /** How a delivery is known that was stored before. */
  known: `
    SELECT 'duplicate' AS kind FROM ${events} WHERE key = ?1 AND digest = ?2
    UNION ALL
    SELECT IIF(state = 'decided', 'duplicate', 'conflict') FROM ${conflicts}
    WHERE key = ?1 AND digest = ?2
  `,
  firstDue: `SELECT MIN((SELECT MIN(due_at) ${PENDING})) AS due FROM ${QUEUES}`,
  dueCount: `SELECT SUM((SELECT COUNT(*) ${PENDING} AND due_at <= ?2)) AS count FROM ${QUEUES}`,
  /** What has been due for longest. */
  lease: `
    UPDATE ${events} SET attempts = attempts + 1, token = ?4, due_at = ?5
    WHERE id IN (
      SELECT e.id FROM ${QUEUES} JOIN ${events} e
        ON e.id IN (SELECT id ${PENDING} AND due_at <= ?2 ORDER BY due_at LIMIT ?3)
      ORDER BY e.due_at LIMIT ?3
    )
    RETURNING id, key, raw, attempts, received_at, trace_context, source
  `,
  /** A leased event that no process may run. An error of an earlier attempt tells more. */
  bury: `
    UPDATE ${events}
    SET state = 'dead', token = NULL, attempts = attempts - 1, error = COALESCE(error, ?2)
    WHERE id = ?1
  `,
  renew: `UPDATE ${events} SET due_at = ?3 WHERE id = ?1 AND token = ?2 AND state = 'pending'`,
  done: `
    UPDATE ${events} SET token = NULL, ${asDone(DIALECT, "?3", retentionMs)}
    WHERE id = ?1 AND token = ?2
  `,
  failed: `
    UPDATE ${events} SET state = ?3, token = NULL, due_at = ?4, error = ?5
    WHERE id = ?1 AND token = ?2
  `,
  released: `
    UPDATE ${events} SET token = NULL, due_at = ?3, attempts = attempts - 1
    WHERE id = ?1 AND token = ?2
  `,
});

/** A lease is a row and a number, which the row holds while it is leased. */
const partsOf = ({ token }: Pick<Lease, "token">) =>
  token.split("/").map(Number) as [id: number, token: number];

/** The rows of events. Nothing here begins or ends a transaction. */
export class Events {
  readonly #statements: Record<keyof ReturnType<typeof statementsFor>, StatementSync>;
  readonly #clock: FileClock;
  readonly #leaseMs: number;

  constructor(database: DatabaseSync, clock: FileClock, { leaseMs }: Pace, retentionMs: number) {
    this.#statements = prepareAll(database, statementsFor(retentionMs));
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  /** Stores a delivery. What it returns is valid when the transaction is on disk. */
  store(delivery: NewDelivery): Receipt["kind"] {
    const { formerKey, event, deadLetterReason } = delivery;
    const values = deliveryValues(delivery);
    const [key, digest] = values;
    const known = (one: Uint8Array) =>
      this.#statements.known.get(one, digest)?.kind as Receipt["kind"] | undefined;
    const knownBefore = formerKey && known(bytesOfHex(formerKey));
    if (knownBefore) return knownBefore;
    const state = deadLetterReason === undefined ? "pending" : "dead";
    const { insert, insertConflict } = this.#statements;
    const row = [...values, queueOf(event), state, deadLetterReason ?? null, uptimeMs()];
    if (insert.run(...row).changes === 1) return "accepted";
    const kind = known(key);
    if (kind === undefined) insertConflict.run(...values);
    return kind ?? "conflict";
  }

  /** Leases what has been due for longest, of the queues. */
  take(count: number, queues: readonly string[]): Lease[] {
    const now = uptimeMs();
    // A number that no other lease of these rows has.
    const token = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    const until = now + this.#leaseMs;
    const names = JSON.stringify(queues);
    const leased = this.#statements.lease.all(names, now, count, token, until);
    return leased.flatMap((row) => this.#leaseOf(row, token) ?? []);
  }

  #leaseOf(row: LedgerRow, token: number): Lease | undefined {
    const [id, attempt] = [Number(row.id), Number(row.attempts)];
    let reason = PROCESS_DIED;
    try {
      const lease = { key: hexOf(row.key), raw: row.raw as Uint8Array, ...requestIn(row) };
      if (attempt <= MAX_ATTEMPTS) return { ...lease, attempt, token: `${id}/${token}` };
    } catch (error) {
      reason = unreadable(error);
    }
    this.#statements.bury.run(id, reason);
    return undefined;
  }

  /** Returns whether the lease still held. */
  renew(token: string): boolean {
    const until = uptimeMs() + this.#leaseMs;
    return this.#statements.renew.run(...partsOf({ token }), until).changes === 1;
  }

  /** Returns whether the lease still held. */
  done(lease: Lease): boolean {
    return this.#statements.done.run(...partsOf(lease), this.#clock.now()).changes === 1;
  }

  end({ lease, as, error = "", retryInMs }: EndedLease): void {
    const { failed, released } = this.#statements;
    const now = uptimeMs();
    if (as === "done") this.done(lease);
    else if (as === "released") released.run(...partsOf(lease), now);
    else {
      const state = retryInMs === undefined ? "dead" : "pending";
      failed.run(...partsOf(lease), state, now + (retryInMs ?? 0), error);
    }
  }

  /** Infinite if nothing waits in the queues. */
  nextDueInMs(queues: readonly string[]): number {
    const first = this.#statements.firstDue.get(JSON.stringify(queues))?.due ?? null;
    return first === null ? Number.POSITIVE_INFINITY : Number(first) - uptimeMs();
  }

  dueCount(queues: readonly string[]): number {
    return Number(this.#statements.dueCount.get(JSON.stringify(queues), uptimeMs())?.count);
  }
}
