import { DELIVERY_COLUMNS } from "../ledger/rows.ts";
import { asDone } from "../ledger/statements.ts";
import { QUEUES } from "../types.ts";
import { DIALECT } from "./schema.ts";

const { events, conflicts } = DIALECT.tables;

const ALL_QUEUES = QUEUES.map((queue) => `'${queue}'`).join(", ");

/** How many rows are forgotten at once. */
export const FORGET_BATCH = 500;

/** The statements of turns. */
export const turnStatements = (retentionMs: number) => ({
  insert: `
    INSERT INTO ${events} (${DELIVERY_COLUMNS}, queue, state, error, attempts, due_at, token)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16
    WHERE NOT EXISTS (SELECT 1 FROM ${conflicts} WHERE key = ?1 AND digest = ?2)
    ON CONFLICT (key) DO NOTHING
  `,
  /** Whether a delivery was stored before: 1 if it is a duplicate, 0 if it is an open conflict. */
  seen: `
    SELECT 1 AS duplicate FROM ${events} WHERE key = ?1 AND digest = ?2
    UNION ALL
    SELECT state = 'decided' FROM ${conflicts} WHERE key = ?1 AND digest = ?2
  `,
  insertConflict: `
    INSERT INTO ${conflicts} (${DELIVERY_COLUMNS}, state)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'open')
  `,
  due: `
    SELECT id, due_at FROM ${events} WHERE state = 'pending' AND queue = ?1 AND due_at <= ?2
    ORDER BY due_at LIMIT ?3
  `,
  firstDue: `SELECT MIN(due_at) AS due FROM ${events} WHERE state = 'pending' AND queue = ?1`,
  dueCount: `
    SELECT COUNT(*) AS count FROM ${events} WHERE state = 'pending' AND queue = ?1 AND due_at <= ?2
  `,
  leasable: `
    SELECT key, raw, attempts, received_at, trace_context, source FROM ${events} WHERE id = ?1
  `,
  lease: `UPDATE ${events} SET attempts = attempts + 1, due_at = ?3, token = ?2 WHERE id = ?1`,
  /** An event that no process may take again. An error of an earlier attempt says more. */
  bury: `
    UPDATE ${events} SET state = 'dead', token = NULL, error = COALESCE(error, ?2) WHERE id = ?1
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

/** What is forgotten, in this order. Each returns the signed times of what it deleted. */
export const FORGET = {
  conflicts: `
    DELETE FROM ${conflicts} WHERE rowid IN (
      SELECT rowid FROM ${conflicts} WHERE forget_at <= ?1 AND state = 'decided'
      ORDER BY forget_at LIMIT ${FORGET_BATCH}
    ) RETURNING signed_at
  `,
  events: `
    DELETE FROM ${events} WHERE id IN (
      SELECT id FROM ${events} WHERE forget_at <= ?1 AND state = 'done'
      ORDER BY forget_at LIMIT ${FORGET_BATCH}
    ) RETURNING signed_at
  `,
} as const;

export const MAINTENANCE = {
  isOver: `
    SELECT
      EXISTS (SELECT 1 FROM ${events} WHERE forget_at <= ?1)
      OR EXISTS (SELECT 1 FROM ${conflicts} WHERE forget_at <= ?1) AS over
  `,
  /** No event is due later than this: such a row was written before the machine started again. */
  isMisdated: `
    SELECT EXISTS (
      SELECT 1 FROM ${events} WHERE state = 'pending' AND queue IN (${ALL_QUEUES}) AND due_at > ?1
    ) AS misdated
  `,
  correct: `
    UPDATE ${events} SET due_at = ?2
    WHERE state = 'pending' AND queue IN (${ALL_QUEUES}) AND due_at > ?1
  `,
  deleteUnprocessed: `
    DELETE FROM ${events} WHERE id IN (
      SELECT id FROM ${events} WHERE state = 'pending' AND queue = ?1 AND due_at <= ?2
      LIMIT ${FORGET_BATCH}
    )
  `,
} as const;

export const COUNTS = {
  pending: `
    SELECT queue, COUNT(*) AS count, MIN(due_at) AS due,
      SUM(token IS NOT NULL AND due_at > ?1) AS running,
      SUM(attempts > 0 AND NOT (token IS NOT NULL AND due_at > ?1)) AS retrying,
      MIN(received_at) FILTER (WHERE NOT (token IS NOT NULL AND due_at > ?1)) AS oldest,
      MIN(received_at)
        FILTER (WHERE attempts > 0 AND NOT (token IS NOT NULL AND due_at > ?1)) AS oldestRetrying
    FROM ${events} WHERE state = 'pending' GROUP BY queue
  `,
  dead: `SELECT COUNT(*) AS count FROM ${events} WHERE state = 'dead'`,
  conflicts: `SELECT COUNT(*) AS count FROM ${conflicts} WHERE state = 'open'`,
} as const;
