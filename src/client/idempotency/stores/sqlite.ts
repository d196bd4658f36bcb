/**
 * Idempotency keys in SQLite.
 *
 * @module malipo/idempotency/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { digestOf } from "../digest.ts";
import { notResolvedFrom, type StoredRecord, standingOf } from "../record.ts";
import {
  checkRetention,
  type IdempotencyStore,
  RECORD_VERSION,
  STANDARD_RETENTION_MS,
} from "../store.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS malipo_idempotency (
    key TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    digest TEXT NOT NULL,
    owner TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    result TEXT,
    keep_until INTEGER
  ) STRICT;
  CREATE INDEX IF NOT EXISTS malipo_idempotency_keep_until
    ON malipo_idempotency (keep_until) WHERE keep_until IS NOT NULL;
`;

const OPEN = `version <= ${RECORD_VERSION}
    AND (state = 'unknown' OR (state = 'in_flight' AND lease_until <= $now))
    AND owner = coalesce($owner, owner)`;

// One statement each: SQLite makes each atomic and, with synchronous=FULL, durable by itself. What
// was resolved has no owner: one that wakes up late must not undo it.
const STATEMENTS = {
  begin: `
    INSERT INTO malipo_idempotency (key, version, state, digest, owner, lease_until)
    VALUES ($key, ${RECORD_VERSION}, 'in_flight', $digest, $owner, $leaseUntil)
    ON CONFLICT (key) DO UPDATE
      SET version = excluded.version, state = excluded.state, digest = excluded.digest,
          owner = excluded.owner, lease_until = excluded.lease_until, result = NULL, keep_until = NULL
      WHERE malipo_idempotency.keep_until <= $now AND malipo_idempotency.version <= ${RECORD_VERSION}
  `,
  read: `
    SELECT version, state, digest, owner, result, lease_until <= $now AS lease_over
    FROM malipo_idempotency WHERE key = $key
  `,
  finish: `
    UPDATE malipo_idempotency SET state = $state, result = $result, keep_until = $keepUntil
    WHERE key = $key AND owner = $owner
  `,
  forget: "DELETE FROM malipo_idempotency WHERE key = $key AND owner = $owner",
  resolve: `
    UPDATE malipo_idempotency
    SET state = 'succeeded', result = $result, keep_until = $keepUntil, owner = ''
    WHERE key = $key AND ${OPEN}
  `,
  free: `
    DELETE FROM malipo_idempotency
    WHERE key = $key AND ${OPEN}
  `,
  dropOld: `
    DELETE FROM malipo_idempotency WHERE key IN (
      SELECT key FROM malipo_idempotency
      WHERE keep_until <= $now AND version <= ${RECORD_VERSION} LIMIT 20
    )
  `,
} as const;

function open(path: string): DatabaseSync {
  // Asked for at run time: a bundle for a runtime without it should fail here, and say why.
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new ConfigurationError("The SQLite store needs node:sqlite: Node 22.13 or later.");
  }
  const database = new sqlite.DatabaseSync(path);
  // First of all, so that whatever follows waits for the other processes on this file.
  database.exec("PRAGMA busy_timeout = 5000");
  database.exec("PRAGMA journal_mode = WAL");
  // An attempt must be on disk before anything is sent.
  database.exec("PRAGMA synchronous = FULL");
  database.exec(SCHEMA);
  return database;
}

/** An idempotency store on a file. */
export interface SqliteIdempotency extends IdempotencyStore {
  /** Closes the file. */
  close(): void;
}

/**
 * Remembers idempotency keys in a SQLite file: one key makes at most one prompt across all processes
 * on this machine that share the file, and across crashes and power cuts. Needs no server, and
 * nothing but Node.
 *
 * @param path - The file; it is made where it is missing. Not on a network file system.
 * @param options - `retentionMs`: how long a result is remembered. Default: 30 days.
 * @throws {ConfigurationError} for a retention that is none.
 * @throws {Error} where the file cannot be opened, or is no database.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 * import { sqliteIdempotency } from "malipo/idempotency/sqlite";
 *
 * const gateway = new Gateway({ idempotency: sqliteIdempotency("/var/lib/shop/payments.db") });
 * ```
 */
export function sqliteIdempotency(
  path: string,
  { retentionMs = STANDARD_RETENTION_MS }: { retentionMs?: number | undefined } = {},
): SqliteIdempotency {
  checkRetention(retentionMs);
  const database = open(path);
  const prepare = (name: keyof typeof STATEMENTS) => database.prepare(STATEMENTS[name]);
  const statements = {
    begin: prepare("begin"),
    read: prepare("read"),
    finish: prepare("finish"),
    forget: prepare("forget"),
    resolve: prepare("resolve"),
    free: prepare("free"),
    dropOld: prepare("dropOld"),
  };

  function read(key: string, now: number): StoredRecord | undefined {
    const row = statements.read.get({ key, now });
    return row && ({ ...row, leaseOver: row.lease_over === 1 } as unknown as StoredRecord);
  }

  return {
    begin: async (key, { parameters, owner, leaseMs }) => {
      const digest = digestOf(parameters);
      for (;;) {
        const now = Date.now();
        const { changes } = statements.begin.run({
          key,
          digest,
          owner,
          leaseUntil: now + leaseMs,
          now,
        });
        if (changes === 1) return { state: "begun" };
        const record = read(key, now);
        // Another process may have freed it between the two statements.
        if (record !== undefined) return standingOf(record, digest);
      }
    },
    finish: async (key, owner, end) => {
      const done = end.state === "succeeded";
      const now = Date.now();
      const keepUntil = done ? now + retentionMs : null;
      const result = done ? end.result : null;
      statements.finish.run({ key, owner, state: end.state, result, keepUntil });
      statements.dropOld.run({ now });
    },
    forget: async (key, owner) => {
      statements.forget.run({ key, owner });
    },
    resolve: async (key, result, owner) => {
      const now = Date.now();
      const which = { key, now, owner: owner ?? null };
      const { changes } =
        result === undefined
          ? statements.free.run(which)
          : statements.resolve.run({ ...which, result, keepUntil: now + retentionMs });
      return changes === 1 ? "unknown" : notResolvedFrom(read(key, now));
    },
    close: () => database.close(),
  };
}
