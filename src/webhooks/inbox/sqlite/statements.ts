import { PROCESS_DIED } from "../errors.ts";
import { MAX_BACKOFF_MS } from "../pace.ts";
import { MAX_ATTEMPTS } from "../types.ts";

// No lease ends later than its own length from now: such a row was written before the machine restarted.
const LEASE_OVER = "state = 'leased' AND (due_at <= $uptime OR due_at > $uptime + $leaseMs)";

// No row falls due later than the longest wait from now: such a row was written before the clock was
// set back.
const MISDATED = `
  state = 'ready' AND due_at > $now AND (attempts = 0 OR due_at > $now + ${MAX_BACKOFF_MS})
`;

export const STATEMENTS = {
  insert: `
    INSERT INTO malipo_inbox (key, digest, event, raw, secret_index, received_at, signature, trace_context, due_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6)
    ON CONFLICT (key) DO NOTHING
  `,
  /** A delivery that this process processes at once. */
  insertLeased: `
    INSERT INTO malipo_inbox
      (key, digest, event, raw, secret_index, received_at, signature, trace_context, token, due_at, state, attempts)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'leased', 1)
    ON CONFLICT (key) DO NOTHING
  `,
  /** A delivery that no process may take until a person requeues it. */
  insertDead: `
    INSERT INTO malipo_inbox
      (key, digest, event, raw, secret_index, received_at, signature, trace_context, due_at, state, error)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?6, 'dead', ?9)
    ON CONFLICT (key) DO NOTHING
  `,
  isDuplicate: "SELECT digest = ?2 AS same FROM malipo_inbox WHERE key = ?1",
  insertConflict: `
    INSERT INTO malipo_inbox_conflicts
      (key, digest, event, raw, secret_index, received_at, signature, trace_context)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT DO NOTHING
  `,

  leasable: `
    SELECT key, raw, attempts + 1 AS attempts, received_at, trace_context
    FROM malipo_inbox WHERE id = ?1
  `,
  lease: `
    UPDATE malipo_inbox
    SET state = 'leased', attempts = attempts + 1, due_at = ?3, token = ?2
    WHERE id = ?1
  `,
  renew: `
    UPDATE malipo_inbox SET due_at = $leaseUntil
    WHERE id = $id AND token = $secret AND state = 'leased'
  `,
  /** A conflict on which a person has decided has no body any more. */
  isDecided: `
    SELECT 1 FROM malipo_inbox_conflicts WHERE key = ?1 AND digest = ?2 AND length(raw) = 0
  `,
  byState: "SELECT state, COUNT(*) AS count FROM malipo_inbox GROUP BY state",
  oldestWaiting: "SELECT MIN(received_at) AS received FROM malipo_inbox WHERE state = 'ready'",
  conflictCount: "SELECT COUNT(*) AS count FROM malipo_inbox_conflicts WHERE length(raw) > 0",
  /** The key and the digest recognise duplicates. The body is a customer's data: it goes. */
  done: `
    UPDATE malipo_inbox
    SET state = 'done', token = NULL, due_at = ?3, raw = x'', signature = NULL, trace_context = NULL
    WHERE id = ?1 AND token = ?2
  `,
  failed: `
    UPDATE malipo_inbox SET state = $state, token = NULL, due_at = $dueAt, error = $error
    WHERE id = $id AND token = $secret
  `,
  released: `
    UPDATE malipo_inbox SET state = 'ready', token = NULL, due_at = $now, attempts = attempts - 1
    WHERE id = $id AND token = $secret
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
    | "due"
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
    /** What to take: by the ids, each row is written faster than all in one statement. */
    due: `
      SELECT id FROM (${firstReady(kinds, "?2")}) WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2
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
