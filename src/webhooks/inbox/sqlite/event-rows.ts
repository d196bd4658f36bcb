import type { DatabaseSync, StatementSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import type { FileClock } from "../../../storage/sqlite/meta.ts";
import { prepareAll } from "../../../storage/sqlite/transaction.ts";
import { MERCHANT } from "../delivery.ts";
import { PROCESS_DIED, unreadable } from "../errors.ts";
import { MAX_ATTEMPTS, type NewDelivery, type Receipt } from "../inbox-types.ts";
import { type Kinds, kindsInOther, OTHER_QUEUE, queueOf, queuesOnlyWith } from "../kinds.ts";
import type { Claim, FailedLease, Lease } from "../lease-store.ts";
import { asDone } from "../ledger/review-statements.ts";
import {
  bytesOfHex,
  DELIVERY_COLUMNS,
  deliveryValues,
  hexOf,
  type LedgerRow,
  requestIn,
} from "../ledger/rows.ts";
import type { Pace } from "../pace.ts";
import { DIALECT } from "./tables.ts";

const { events, conflicts } = DIALECT.tables;

/**
 * What a process takes, as two lists in JSON: whole queues, and some kinds of the queue of all others. Each
 * element of a list is looked up in an index that begins with it.
 */
const PARTS = [
  ["json_each(?1) AS q", `FROM ${events} WHERE state = 'pending' AND queue = q.value`],
  [
    "json_each(?2) AS k",
    `FROM ${events} WHERE state = 'pending' AND queue = '${OTHER_QUEUE}' AND kind = k.value`,
  ],
] as const;

/** The values of {@link PARTS}. */
const partsFor = (kinds: Kinds) =>
  [JSON.stringify(queuesOnlyWith(kinds)), JSON.stringify(kindsInOther(kinds))] as const;

/** A query on each part. */
const ofParts = (query: (elements: string, pending: string) => string): string =>
  PARTS.map(([elements, pending]) => query(elements, pending)).join(" UNION ALL ");

/** @param condition - On the events that may be leased. */
const claimStatement = (condition: string) => `
  UPDATE ${events} SET attempts = attempts + 1, token = ?5, due_at = ?6
  WHERE id IN (
    SELECT id FROM (${ofParts(
      (elements, pending) => `
      SELECT e.id, e.due_at FROM ${elements} JOIN ${events} e
        ON e.id IN (SELECT id ${pending} AND due_at <= ?3 ${condition} ORDER BY due_at LIMIT ?4)`,
    )})
    ORDER BY due_at LIMIT ?4
  )
  RETURNING id, key, raw, attempts, received_at, trace_context, source
`;

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
  firstDue: `SELECT MIN(due) AS due FROM (${ofParts(
    (elements, pending) => `SELECT (SELECT MIN(due_at) ${pending}) AS due FROM ${elements}`,
  )})`,
  dueCount: `SELECT SUM(count) AS count FROM (${ofParts(
    (elements, pending) =>
      `SELECT (SELECT COUNT(*) ${pending} AND due_at <= ?3) AS count FROM ${elements}`,
  )})`,
  /** What has been due for longest. */
  claim: claimStatement(""),
  /** The same, but for the events of the merchants of a list in JSON. */
  claimOthers: claimStatement(`
    AND COALESCE(trace_context ->> '$."${MERCHANT}"', '') NOT IN (SELECT value FROM json_each(?7))
  `),
  /** A leased event that no process may run. An error of an earlier attempt tells more. */
  bury: `
    UPDATE ${events}
    SET state = 'dead', token = NULL, attempts = attempts - 1, error = COALESCE(error, ?2)
    WHERE id = ?1
  `,
  extend: `UPDATE ${events} SET due_at = ?3 WHERE id = ?1 AND token = ?2 AND state = 'pending'`,
  complete: `
    UPDATE ${events} SET token = NULL, ${asDone(DIALECT, "?3", retentionMs)}
    WHERE id = ?1 AND token = ?2
  `,
  fail: `
    UPDATE ${events} SET state = ?3, token = NULL, due_at = ?4, error = ?5
    WHERE id = ?1 AND token = ?2
  `,
  release: `
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

  /** Leases what has been due for longest, of the kinds. */
  claim(count: number, { kinds, busy }: Omit<Claim, "room">): Lease[] {
    const now = uptimeMs();
    // A number that no other lease of these rows has.
    const token = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    const until = now + this.#leaseMs;
    const { claim, claimOthers } = this.#statements;
    const values = [...partsFor(kinds), now, count, token, until] as const;
    const leased =
      busy.length === 0 ? claim.all(...values) : claimOthers.all(...values, JSON.stringify(busy));
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
  extend(token: string): boolean {
    const until = uptimeMs() + this.#leaseMs;
    return this.#statements.extend.run(...partsOf({ token }), until).changes === 1;
  }

  /** Returns whether the lease still held. */
  complete(lease: Lease): boolean {
    return this.#statements.complete.run(...partsOf(lease), this.#clock.now()).changes === 1;
  }

  fail({ lease, error, retryInMs }: FailedLease): void {
    const state = retryInMs === undefined ? "dead" : "pending";
    this.#statements.fail.run(...partsOf(lease), state, uptimeMs() + (retryInMs ?? 0), error);
  }

  release(lease: Lease): void {
    this.#statements.release.run(...partsOf(lease), uptimeMs());
  }

  /** Infinite if nothing of the kinds waits. */
  nextDueInMs(kinds: Kinds): number {
    const first = this.#statements.firstDue.get(...partsFor(kinds))?.due ?? null;
    return first === null ? Number.POSITIVE_INFINITY : Number(first) - uptimeMs();
  }

  dueCount(kinds: Kinds): number {
    return Number(this.#statements.dueCount.get(...partsFor(kinds), uptimeMs())?.count);
  }
}
