/** How long a process may be silent before its deliveries are another's. Renewed every 5 s. */
export const LEASE_MS = 15_000;

// No due time can lie further ahead than the longest backoff, no lease than its length: what does was
// written before the clock jumped back.
const LONGEST_BACKOFF_MS = 300_000;

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS malipo_inbox (
    key TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
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
  CREATE INDEX IF NOT EXISTS malipo_inbox_token ON malipo_inbox (token) WHERE token IS NOT NULL;
  CREATE TABLE IF NOT EXISTS malipo_inbox_conflicts (
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    event TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (key, digest)
  ) STRICT;
`;

const DUE = `(
  (state = 'ready' AND (due_at <= $now OR due_at > $now + ${LONGEST_BACKOFF_MS}))
  OR (state = 'leased' AND (due_at <= $now OR due_at > $now + ${LEASE_MS}))
)`;

/** `due_at` is when a delivery falls due, when a lease runs out, or until when one is remembered. */
export const STATEMENTS = {
  insert: `
    INSERT INTO malipo_inbox (key, digest, event, raw, secret_index, received_at, due_at)
    VALUES ($key, $digest, $event, $raw, $secretIndex, $receivedAt, $receivedAt)
    ON CONFLICT (key) DO NOTHING
  `,
  digest: "SELECT digest FROM malipo_inbox WHERE key = $key",
  insertConflict: `
    INSERT INTO malipo_inbox_conflicts (key, digest, event, raw, secret_index, received_at)
    VALUES ($key, $digest, $event, $raw, $secretIndex, $receivedAt)
    ON CONFLICT DO NOTHING
  `,
  /** A process that dies counts as an attempt: what killed twelve of them is given up. */
  bury: `
    UPDATE malipo_inbox SET state = 'dead', token = NULL,
      error = COALESCE(error, 'The process died while it worked this event.')
    WHERE state = 'leased' AND due_at <= $now AND attempts >= $most
  `,
  take: `
    UPDATE malipo_inbox
    SET state = 'leased', attempts = attempts + 1, due_at = $leaseUntil, token = $token || '/' || key
    WHERE key IN (SELECT key FROM malipo_inbox WHERE ${DUE} ORDER BY due_at LIMIT $count)
    RETURNING key, raw, attempts
  `,
  renew: "UPDATE malipo_inbox SET due_at = $leaseUntil WHERE token = $token",
  done: `
    UPDATE malipo_inbox SET state = 'done', token = NULL, due_at = $keepUntil
    WHERE key = $key AND token = $token
  `,
  fail: `
    UPDATE malipo_inbox SET state = $state, token = NULL, due_at = $dueAt, error = $error
    WHERE key = $key AND token = $token
  `,
  release: `
    UPDATE malipo_inbox SET state = 'ready', token = NULL, due_at = $now, attempts = attempts - 1
    WHERE key = $key AND token = $token
  `,
  nextDue: "SELECT MIN(due_at) AS due FROM malipo_inbox WHERE state IN ('ready', 'leased')",
  forget: `
    DELETE FROM malipo_inbox WHERE key IN (
      SELECT key FROM malipo_inbox WHERE state = 'done' AND due_at <= $now LIMIT 20
    )
  `,
  dead: "SELECT key, event, raw, attempts, error FROM malipo_inbox WHERE state = 'dead'",
  requeue: `
    UPDATE malipo_inbox SET state = 'ready', attempts = 0, due_at = $now
    WHERE key = $key AND state = 'dead'
  `,
} as const;
