/**
 * Idempotency keys in SQLite.
 *
 * @module malipo/idempotency/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { checkOptionNames } from "../../../internal/check-options.ts";
import { digestOf } from "../digest.ts";
import { beginResult, type StoredRecord, unresolvedResult } from "../record.ts";
import {
  checkRetention,
  DEFAULT_RETENTION_MS,
  type IdempotencyStore,
  RECORD_VERSION,
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

const RESOLVABLE = `version <= ${RECORD_VERSION}
    AND (state = 'unknown' OR (state = 'in_flight' AND lease_until <= $now))
    AND owner = coalesce($owner, owner)`;

// One statement for each operation: SQLite makes each atomic and, with synchronous=FULL, durable. A
// resolved record has no owner, so that its old owner cannot change it later.
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
    WHERE key = $key AND ${RESOLVABLE}
  `,
  free: `
    DELETE FROM malipo_idempotency
    WHERE key = $key AND ${RESOLVABLE}
  `,
  dropExpired: `
    DELETE FROM malipo_idempotency WHERE key IN (
      SELECT key FROM malipo_idempotency
      WHERE keep_until <= $now AND version <= ${RECORD_VERSION} LIMIT 20
    )
  `,
} as const;

function open(path: string): DatabaseSync {
  // Loaded here, so that a bundle for a runtime without it fails here, with a message.
  const sqlite = globalThis.process?.getBuiltinModule?.("node:sqlite");
  if (sqlite === undefined) {
    throw new ConfigurationError(
      "The SQLite store requires node:sqlite, which this runtime does not have. Use Node 22.13 or later.",
    );
  }
  const database = new sqlite.DatabaseSync(path);
  // First, so that every later statement waits for the other processes that use this file.
  database.exec("PRAGMA busy_timeout = 5000");
  database.exec("PRAGMA journal_mode = WAL");
  // An attempt must be on the disk before anything is sent.
  database.exec("PRAGMA synchronous = FULL");
  database.exec(SCHEMA);
  return database;
}

function prepareStatements(database: DatabaseSync) {
  const prepare = (name: keyof typeof STATEMENTS) => database.prepare(STATEMENTS[name]);
  return {
    begin: prepare("begin"),
    read: prepare("read"),
    finish: prepare("finish"),
    forget: prepare("forget"),
    resolve: prepare("resolve"),
    free: prepare("free"),
    dropExpired: prepare("dropExpired"),
  };
}

/** An idempotency store in a SQLite file. */
export interface SqliteIdempotency extends IdempotencyStore {
  /** Closes the file. Call it when the process stops. */
  close(): void;
}

/** How idempotency keys are remembered in SQLite. */
export interface SqliteIdempotencyOptions {
  /**
   * How long a result is remembered, in milliseconds. Raise it where an order may be paid again with
   * its old key after more than a month. Attempts of unknown outcome are kept until they are resolved.
   *
   * @default 30 days
   */
  retentionMs?: number | undefined;
}

/**
 * Remembers idempotency keys in a SQLite file: one key makes at most one prompt across all processes
 * on this machine that share the file, and across crashes and power cuts. It needs no server and no
 * other package.
 *
 * @param path - The file. It is created where it does not exist. It must not be on a network file
 * system.
 * @throws {ConfigurationError} for a wrong option, and in a runtime without `node:sqlite`.
 * @throws {Error} where the file cannot be opened, or is not a SQLite database.
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
  options: SqliteIdempotencyOptions = {},
): SqliteIdempotency {
  checkOptionNames(options, ["retentionMs"], "sqliteIdempotency");
  const { retentionMs = DEFAULT_RETENTION_MS } = options;
  checkRetention(retentionMs);
  const database = open(path);
  const statements = prepareStatements(database);

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
        // Another process may have freed the key between the two statements.
        if (record !== undefined) return beginResult(record, digest);
      }
    },
    finish: async (key, owner, end) => {
      const done = end.state === "succeeded";
      const now = Date.now();
      const keepUntil = done ? now + retentionMs : null;
      const result = done ? end.result : null;
      statements.finish.run({ key, owner, state: end.state, result, keepUntil });
      statements.dropExpired.run({ now });
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
      return changes === 1 ? "unknown" : unresolvedResult(read(key, now));
    },
    close: () => database.close(),
  };
}
