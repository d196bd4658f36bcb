import { PROCESS_DIED } from "../errors.ts";
import { MAX_BACKOFF_MS } from "../pace.ts";
import { MAX_ATTEMPTS } from "../types.ts";

/**
 * Keys and digests are stored as bytes, not as hexadecimal digits: every insert touches the index of
 * the keys at random, so it must be small.
 *
 * `due_at` depends on the state. `ready`: when the row falls due, in wall-clock time. `done`: until when
 * it is remembered, in wall-clock time. `leased`: when the lease expires, in time since the machine
 * started, which all its processes share and nobody sets.
 */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS malipo_inbox (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    event TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'leased', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    token TEXT,
    error TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS malipo_inbox_due ON malipo_inbox (state, due_at);
  CREATE INDEX IF NOT EXISTS malipo_inbox_ready ON malipo_inbox (event, due_at) WHERE state = 'ready';
  CREATE TABLE IF NOT EXISTS malipo_inbox_conflicts (
    key BLOB NOT NULL,
    digest BLOB NOT NULL,
    event TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (key, digest)
  ) STRICT;
`;

// No lease ends later than its own length from now: such a row was written before the machine restarted.
const LEASE_OVER = "state = 'leased' AND (due_at <= $uptime OR due_at > $uptime + $leaseMs)";

// No row falls due later than the longest wait from now: such a row was written before the clock was
// set back.
const MISDATED = `
  state = 'ready' AND due_at > $now AND (attempts = 0 OR due_at > $now + ${MAX_BACKOFF_MS})
`;

export const STATEMENTS = {
  insert: `
    INSERT INTO malipo_inbox (key, digest, event, raw, secret_index, received_at, due_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
    ON CONFLICT (key) DO NOTHING
  `,
  isDuplicate: "SELECT digest = ?2 AS same FROM malipo_inbox WHERE key = ?1",
  insertConflict: `
    INSERT INTO malipo_inbox_conflicts (key, digest, event, raw, secret_index, received_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT DO NOTHING
  `,

  renew: `
    UPDATE malipo_inbox SET due_at = $leaseUntil
    WHERE id = $id AND token = $token AND state = 'leased'
  `,
  /** A conflict on which a person has decided has no body any more. */
  isDecided: `
    SELECT 1 FROM malipo_inbox_conflicts WHERE key = ?1 AND digest = ?2 AND length(raw) = 0
  `,
  byState: "SELECT state, COUNT(*) AS count FROM malipo_inbox GROUP BY state",
  oldestWaiting: "SELECT MIN(received_at) AS received FROM malipo_inbox WHERE state = 'ready'",
  conflictCount: "SELECT COUNT(*) AS count FROM malipo_inbox_conflicts WHERE length(raw) > 0",
  conflicts: `
    SELECT key, digest, event, raw, secret_index, received_at FROM malipo_inbox_conflicts
    WHERE length(raw) > 0 ORDER BY received_at
  `,
  conflict: `
    SELECT key, digest, event, raw, secret_index, received_at FROM malipo_inbox_conflicts
    WHERE key = ?1 AND digest = ?2 AND length(raw) > 0
  `,
  endConflict: "UPDATE malipo_inbox_conflicts SET raw = x'' WHERE key = ?1 AND digest = ?2",
  /** The key and the digest recognise duplicates. The body is a customer's data: it goes. */
  done: `
    UPDATE malipo_inbox SET state = 'done', token = NULL, due_at = ?3, raw = x'' WHERE id = ?1 AND token = ?2
  `,
  failed: `
    UPDATE malipo_inbox SET state = $state, token = NULL, due_at = $dueAt, error = $error
    WHERE id = $id AND token = $token
  `,
  released: `
    UPDATE malipo_inbox SET state = 'ready', token = NULL, due_at = $now, attempts = attempts - 1
    WHERE id = $id AND token = $token
  `,

  dead: `
    SELECT key, event, raw, attempts, error FROM malipo_inbox WHERE state = 'dead'
    ORDER BY received_at
  `,
  requeue: `
    UPDATE malipo_inbox SET state = 'ready', attempts = 0, due_at = $now
    WHERE key = $key AND state = 'dead'
  `,
} as const;

/** How many processed events are forgotten at once. */
export const FORGET_BATCH = 500;

/** What a turn does now and then beside its work, in this order. */
export const MAINTENANCE = {
  /** An attempt that killed its process counts. After the last one, the event is a dead letter. */
  deadLetter: `
    UPDATE malipo_inbox SET state = 'dead', token = NULL, error = COALESCE(error, '${PROCESS_DIED}')
    WHERE ${LEASE_OVER} AND attempts >= ${MAX_ATTEMPTS}
  `,
  reclaim: `UPDATE malipo_inbox SET state = 'ready', token = NULL, due_at = $now WHERE ${LEASE_OVER}`,
  correctDueTimes: `UPDATE malipo_inbox SET due_at = $now WHERE ${MISDATED}`,
  forgetConflicts: `
    DELETE FROM malipo_inbox_conflicts WHERE key IN (
      SELECT key FROM malipo_inbox WHERE state = 'done' AND due_at <= $now ORDER BY due_at LIMIT ${FORGET_BATCH}
    )
  `,
  forget: `
    DELETE FROM malipo_inbox WHERE id IN (
      SELECT id FROM malipo_inbox WHERE state = 'done' AND due_at <= $now ORDER BY due_at LIMIT ${FORGET_BATCH}
    )
  `,
} as const;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The first rows that wait, of each of the kinds: however many of other kinds wait, this is quick. */
function firstReady(kinds: readonly string[] | undefined, count: string): string {
  if (kinds?.length === 0) return "SELECT 0 AS id, 0 AS due_at WHERE 0";
  const conditions = kinds?.map((kind) => `AND event = ${quoted(kind)}`) ?? [""];
  return conditions
    .map(
      (condition) =>
        `SELECT * FROM (SELECT id, due_at FROM malipo_inbox WHERE state = 'ready' ${condition} ORDER BY due_at LIMIT ${count})`,
    )
    .join(" UNION ALL ");
}

/** Rows of kinds that this process does not take, and that nobody took for the retention. */
const KEPT_TOO_LONG = "state = 'ready' AND due_at <= $now - $retentionMs AND ";

/** The statements that depend on which kinds of events this process takes; `undefined` for all. */
export function statementsFor(kinds: readonly string[] | undefined): {
  readonly [Name in
    | "isDue"
    | "nextDue"
    | "take"
    | "isOver"
    | "forgetKept"
    | "kept"
    | "keptCount"]: string;
} {
  const isKept = kinds === undefined ? "0" : `event NOT IN (${kinds.map(quoted).join(", ")})`;
  return {
    /** Whether there is anything to take: a poll that finds nothing writes nothing. */
    isDue: `
      SELECT
        EXISTS (SELECT 1 FROM (${firstReady(kinds, "1")}) WHERE due_at <= $now)
        OR EXISTS (SELECT 1 FROM malipo_inbox WHERE ${MISDATED})
        OR EXISTS (SELECT 1 FROM malipo_inbox WHERE ${LEASE_OVER}) AS due
    `,
    nextDue: `SELECT MIN(due_at) AS due FROM (${firstReady(kinds, "1")})`,
    take: `
      UPDATE malipo_inbox
      SET state = 'leased', attempts = attempts + 1, due_at = $leaseUntil, token = $token || '/' || id
      WHERE id IN (
        SELECT id FROM (${firstReady(kinds, "$count")}) WHERE due_at <= $now
        ORDER BY due_at LIMIT $count
      )
      RETURNING id, key, raw, attempts, token
    `,
    /** Whether there is anything to forget. */
    isOver: `
      SELECT
        EXISTS (SELECT 1 FROM malipo_inbox WHERE state = 'done' AND due_at <= $now)
        OR EXISTS (SELECT 1 FROM malipo_inbox WHERE ${KEPT_TOO_LONG} ${isKept}) AS over
    `,
    forgetKept: `
      DELETE FROM malipo_inbox WHERE id IN (
        SELECT id FROM malipo_inbox WHERE ${KEPT_TOO_LONG} ${isKept} LIMIT ${FORGET_BATCH}
      )
    `,
    keptCount: `SELECT COUNT(*) AS count FROM malipo_inbox WHERE state = 'ready' AND ${isKept}`,
    kept: `SELECT DISTINCT event FROM malipo_inbox WHERE state = 'ready' AND ${isKept} LIMIT 100`,
  };
}
