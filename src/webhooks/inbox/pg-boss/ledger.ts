import type { Db } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import type { LedgerRow } from "../ledger/rows.ts";
import { asDone, LedgerStatements } from "../ledger/statements.ts";
import { type Dialect, LEDGER_FORMAT, ledgerTables } from "../ledger/tables.ts";
import { bytesOf, exactText } from "../text.ts";
import { type Horizon, type NewDelivery, OTHER_QUEUE, QUEUES } from "../types.ts";
import type { QueuedEvent } from "./queues.ts";

/** The clock of the server, in milliseconds. */
const NOW = "(extract(epoch FROM now()) * 1000)::bigint";

const KEYS = "ANY(ARRAY(SELECT decode(k, 'hex') FROM unnest($1::text[]) AS k))";

/** A process that has written nothing for this long does not run any more. */
const ALIVE_MS = 90_000;

const FORGOTTEN_AT_ONCE = 1_000;

/** Text as PostgreSQL stores it: it takes neither a NUL nor half a surrogate pair. */
export const storable = (text: string): string =>
  new TextDecoder().decode(bytesOf(text)).replaceAll("\0", "\uFFFD");

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** A delivery as the tables take it. */
const rowOf = (delivery: NewDelivery) => ({
  key: delivery.key,
  former_key: delivery.formerKey,
  digest: delivery.digest,
  kind: storable(delivery.event),
  raw: exactText(delivery.raw),
  secret_index: delivery.secretIndex,
  received_at: Math.round(delivery.receivedAt),
  // A service may write parts of a millisecond.
  signed_at: delivery.signedAt && Math.ceil(delivery.signedAt),
  signature: delivery.signature && storable(delivery.signature),
  trace_context: delivery.traceContext && JSON.stringify(delivery.traceContext),
  source: delivery.source,
  error: delivery.deadLetterReason && storable(delivery.deadLetterReason),
});

const GIVEN = `json_to_recordset($1::json) AS g(key text, former_key text, digest text, kind text, raw text,
  secret_index int, received_at bigint, signed_at bigint, signature text, trace_context text, source text, error text)`;
const COLUMNS =
  "key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source";
const VALUES = `decode(g.key, 'hex'), decode(g.digest, 'hex'), g.kind, convert_to(g.raw, 'UTF8'), g.secret_index,
  g.received_at, g.signed_at, g.signature, g.trace_context, g.source`;

/** An expression: the queue of a kind. @param queues - The parameter that holds all queues. */
const queueOfKind = (kind: string, queues: string) =>
  `CASE WHEN ${kind} = ANY(${queues}::text[]) THEN ${kind} ELSE '${OTHER_QUEUE}' END`;

/** What a process works on. */
export interface Running {
  readonly queues: readonly string[];
  readonly keys: readonly string[];
}

/** How an attempt failed. */
export interface Failure {
  readonly key: string;
  readonly attempts: number;
  readonly error: string;
  /** When the next attempt begins at the latest; without it, the event is a dead letter. */
  readonly retryMs?: number | undefined;
}

/** The tables of an inbox: what it has seen, and what waits for a person. */
export class Ledger {
  readonly schema: string;
  readonly #dialect: Dialect;
  readonly #retentionMs: number;
  readonly statements: LedgerStatements;
  /** For a delivery `g`: whether it is known by its former key, or a person has decided on it. */
  readonly #isKnown: string;

  constructor(schema: string, inbox: string, retentionMs: number) {
    this.schema = schema;
    const table = (name: string) => `${schema}.${quoted(`${inbox}_${name}`)}`;
    const tables = {
      events: table("events"),
      conflicts: table("conflicts"),
      doubles: table("doubles"),
      meta: table("meta"),
    };
    this.#dialect = {
      tables,
      types: { bytes: "BYTEA", integer: "BIGINT" },
      noBytes: "''",
      eventColumns: "due_at BIGINT,",
      suffix: "",
    };
    this.#retentionMs = Math.round(retentionMs);
    this.statements = new LedgerStatements(this.#dialect, this.#retentionMs, () => NOW);
    this.#isKnown = `(EXISTS (SELECT FROM ${tables.conflicts} c WHERE c.state = 'decided'
        AND c.digest = decode(g.digest, 'hex') AND c.key IN (decode(g.key, 'hex'), decode(g.former_key, 'hex')))
      OR EXISTS (SELECT FROM ${tables.events} f
        WHERE f.key = decode(g.former_key, 'hex') AND f.digest = decode(g.digest, 'hex')))`;
  }

  /** Creates the tables if they are missing. @throws {ConfigurationError} for another format. */
  async create(db: Db): Promise<void> {
    const { events, conflicts, meta } = this.#dialect.tables;
    const [found] = await rows(db, "SELECT to_regclass($1) AS name", [meta]);
    if (found?.name === null) {
      // Held until COMMIT: two processes may start at the same time.
      await db.executeSql("SELECT pg_advisory_xact_lock(hashtext('malipo'))");
      const [schema] = await rows(db, "SELECT to_regnamespace($1) AS name", [this.schema]);
      if (schema?.name === null) await db.executeSql(`CREATE SCHEMA ${this.schema}`);
      for (const table of ledgerTables(this.#dialect)) await db.executeSql(table);
      for (const index of [
        `${events} (received_at) WHERE state = 'pending'`,
        `${events} (due_at) WHERE state = 'pending' AND attempts > 0`,
        `${events} (received_at, key) WHERE state = 'dead'`,
        `${events} (forget_at) WHERE forget_at IS NOT NULL`,
        `${conflicts} (received_at, key, digest) WHERE state = 'open'`,
        `${conflicts} (forget_at) WHERE forget_at IS NOT NULL`,
      ]) {
        await db.executeSql(`CREATE INDEX ON ${index}`);
      }
      await db.executeSql(
        `INSERT INTO ${meta} VALUES ('format', $1), ('queues', '{}') ON CONFLICT DO NOTHING`,
        [String(LEDGER_FORMAT)],
      );
    }
    const format = await this.meta(db, "format");
    if (format === String(LEDGER_FORMAT)) return;
    throw new ConfigurationError(
      `The tables of this inbox (${meta}) have the format ${format}, and this build of malipo knows ${LEDGER_FORMAT}. Use the build that wrote them, or set \`queue\` to another name. See "Upgrade and go back" in the manual.`,
    );
  }

  /** @param isLocked - Whether other processes wait until this transaction has ended. */
  async meta(db: Db, name: string, isLocked = false): Promise<string | undefined> {
    const text = `SELECT value FROM ${this.#dialect.tables.meta} WHERE name = $1 ${isLocked ? "FOR UPDATE" : ""}`;
    return (await rows(db, text, [name]))[0]?.value as string | undefined;
  }

  /** @param expression - The value; `$2` stands for the parameter. */
  async setMeta(db: Db, name: string, expression: string, parameter: string): Promise<void> {
    await db.executeSql(
      `INSERT INTO ${this.#dialect.tables.meta} (name, value) VALUES ($1, ${expression})
        ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`,
      [name, parameter],
    );
  }

  /** Stores new events. Resolves with the keys of those that are stored now. */
  async insert(db: Db, deliveries: readonly NewDelivery[]): Promise<Set<string>> {
    const stored = await rows(
      db,
      `INSERT INTO ${this.#dialect.tables.events} (${COLUMNS}, state, error, due_at)
        SELECT ${VALUES}, CASE WHEN g.error IS NULL THEN 'pending' ELSE 'dead' END, g.error, ${NOW}
          FROM ${GIVEN} WHERE NOT ${this.#isKnown} ORDER BY g.key
        ON CONFLICT (key) DO NOTHING RETURNING encode(key, 'hex') AS key`,
      [JSON.stringify(deliveries.map(rowOf))],
    );
    return new Set(stored.map(({ key }) => String(key)));
  }

  /** Stores those as conflicts that are neither known nor the first of their event. Resolves with them. */
  async insertConflicts(db: Db, deliveries: readonly NewDelivery[]): Promise<Set<NewDelivery>> {
    const { events, conflicts } = this.#dialect.tables;
    const others = await rows(
      db,
      `WITH other AS (
         SELECT g.* FROM ${GIVEN} JOIN ${events} e ON e.key = decode(g.key, 'hex')
          WHERE e.digest <> decode(g.digest, 'hex') AND NOT ${this.#isKnown}
       ), stored AS (
         INSERT INTO ${conflicts} (${COLUMNS}, state) SELECT ${VALUES}, 'open' FROM other g
         ON CONFLICT (key, digest) DO NOTHING
       )
       SELECT key || digest AS id FROM other`,
      [JSON.stringify(deliveries.map(rowOf))],
    );
    const ids = new Set(others.map(({ id }) => id));
    return new Set(deliveries.filter(({ key, digest }) => ids.has(key + digest)));
  }

  /** The events, by their keys. */
  async read(db: Db, keys: readonly string[]): Promise<Map<string, LedgerRow>> {
    const { events } = this.#dialect.tables;
    const text = `SELECT encode(key, 'hex') AS hex, * FROM ${events} WHERE key = ${KEYS}`;
    return new Map((await rows(db, text, [keys])).map((row) => [String(row.hex), row]));
  }

  /** Ends events that wait. Resolves with how many there were. */
  async done(db: Db, keys: readonly string[]): Promise<number> {
    const changes = asDone(this.#dialect, NOW, this.#retentionMs);
    const text = `UPDATE ${this.#dialect.tables.events} SET ${changes} WHERE key = ${KEYS} AND state = 'pending' RETURNING 1`;
    return (await rows(db, text, [keys])).length;
  }

  /** Resolves with whether the event was one that waits. */
  async failed(db: Db, { key, attempts, error, retryMs }: Failure): Promise<boolean> {
    const failed = await rows(
      db,
      `UPDATE ${this.#dialect.tables.events} SET state = $2::text, attempts = $3::int, error = $4::text, due_at = ${NOW} + $5::bigint
        WHERE key = ${KEYS} AND state = 'pending' RETURNING 1`,
      [[key], retryMs === undefined ? "dead" : "pending", attempts, storable(error), retryMs ?? 0],
    );
    return failed.length === 1;
  }

  /** Events that wait, some at a time. @param after - The last key of those before. */
  async pending(db: Db, after: string, limit: number): Promise<QueuedEvent[]> {
    const pending = await rows(
      db,
      `SELECT encode(key, 'hex') AS key, kind, attempts FROM ${this.#dialect.tables.events}
        WHERE state = 'pending' AND key > decode($1, 'hex') ORDER BY key LIMIT $2`,
      [after, limit],
    );
    return pending.map(({ key, kind, attempts }) => ({
      key: String(key),
      event: String(kind),
      attempts: Number(attempts),
    }));
  }

  /** Says on which queues this process works, and on which of their events. */
  async setRunning(db: Db, worker: string, running: Running): Promise<void> {
    const value = `json_build_object('at', ${NOW}, 'running', $2::json)::text`;
    await this.setMeta(db, `worker ${worker}`, value, JSON.stringify(running));
  }

  async removeRunning(db: Db, worker: string): Promise<void> {
    const text = `DELETE FROM ${this.#dialect.tables.meta} WHERE name = $1`;
    await db.executeSql(text, [`worker ${worker}`]);
  }

  /** Events that no process worked on for the whole retention, some at a time. */
  async unprocessed(db: Db): Promise<QueuedEvent[]> {
    const { events, meta } = this.#dialect.tables;
    const expired = await rows(
      db,
      `SELECT encode(key, 'hex') AS key, kind FROM ${events}
        WHERE state = 'pending' AND received_at < ${NOW} - ${this.#retentionMs} AND due_at < ${NOW} - ${this.#retentionMs}
          AND ${queueOfKind("kind", "$1")} NOT IN (
            SELECT json_array_elements_text(value::json->'running'->'queues') FROM ${meta}
             WHERE name LIKE 'worker %' AND (value::json->>'at')::bigint > ${NOW} - ${ALIVE_MS})
        ORDER BY received_at LIMIT ${FORGOTTEN_AT_ONCE} FOR UPDATE SKIP LOCKED`,
      [QUEUES],
    );
    return expired.map(({ key, kind }) => ({ key: String(key), event: String(kind) }));
  }

  async delete(db: Db, keys: readonly string[]): Promise<number> {
    const text = `DELETE FROM ${this.#dialect.tables.events} WHERE key = ${KEYS} RETURNING 1`;
    return (await rows(db, text, [keys])).length;
  }

  /** Counts. @param queues - Those that this process works on. */
  async counts(db: Db, queues: readonly string[]): Promise<LedgerRow> {
    const { events, conflicts, meta } = this.#dialect.tables;
    const [counts] = await rows(
      db,
      `WITH running AS MATERIALIZED (
         SELECT decode(json_array_elements_text(value::json->'running'->'keys'), 'hex') AS key FROM ${meta}
          WHERE name LIKE 'worker %' AND (value::json->>'at')::bigint > ${NOW} - ${ALIVE_MS}
       ), pending AS (
         SELECT e.*, r.key IS NOT NULL AS is_running, q.queue = ANY($1::text[]) AS is_handled
           FROM ${events} e LEFT JOIN running r ON r.key = e.key,
           LATERAL (SELECT ${queueOfKind("e.kind", "$2")} AS queue) q
          WHERE e.state = 'pending'
       )
       SELECT count(*) FILTER (WHERE is_running) AS running,
         count(*) FILTER (WHERE NOT is_running) AS waiting,
         count(*) FILTER (WHERE NOT is_running AND NOT is_handled) AS unhandled,
         count(*) FILTER (WHERE NOT is_running AND attempts > 0) AS retrying,
         count(*) FILTER (WHERE NOT is_running AND is_handled AND due_at <= ${NOW}) AS due,
         min(received_at) FILTER (WHERE NOT is_running) AS oldest_waiting,
         min(received_at) FILTER (WHERE NOT is_running AND attempts > 0) AS oldest_retrying,
         ${NOW} - min(due_at) FILTER (WHERE NOT is_running AND is_handled) AS lag,
         (SELECT count(*) FROM ${events} WHERE state = 'dead') AS dead,
         (SELECT count(*) FROM ${conflicts} WHERE state = 'open') AS conflicts
       FROM pending`,
      [queues, QUEUES],
    );
    return counts as LedgerRow;
  }

  /** Notes that this process remembers events for as long as it does. */
  async noteRetention(db: Db): Promise<void> {
    const name = `retention ${this.#retentionMs}`;
    await this.setMeta(db, name, `(${NOW} - $2::bigint)::text`, "0");
  }

  async horizon(db: Db): Promise<Horizon> {
    const [horizon] = await rows(
      db,
      `SELECT ${NOW} AS now, max(CASE WHEN used > ${NOW} - ${2 * ALIVE_MS} THEN ${NOW} ELSE used END - retention) AS since
         FROM (SELECT substr(name, 11)::bigint AS retention, value::bigint AS used
                 FROM ${this.#dialect.tables.meta} WHERE name LIKE 'retention %') AS uses`,
    );
    const now = Number(horizon?.now);
    return { now, remembersSince: Number(horizon?.since ?? now - this.#retentionMs) };
  }

  /** Forgets what is over, some at a time. Resolves with whether there may be more. */
  async forget(db: Db): Promise<boolean> {
    const { events, conflicts, meta } = this.#dialect.tables;
    let isMore = false;
    for (const table of [events, conflicts]) {
      const forgotten = await rows(
        db,
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table}
          WHERE forget_at <= ${NOW} ORDER BY forget_at LIMIT ${FORGOTTEN_AT_ONCE} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      );
      isMore ||= forgotten.length === FORGOTTEN_AT_ONCE;
    }
    await db.executeSql(
      `DELETE FROM ${meta} WHERE
         CASE WHEN name LIKE 'worker %' THEN (value::json->>'at')::bigint < ${NOW} - ${ALIVE_MS}
              WHEN name LIKE 'retention %' THEN value::bigint - substr(name, 11)::bigint < ${NOW} - ${this.#retentionMs}
               AND value::bigint < ${NOW} - ${2 * ALIVE_MS} END`,
    );
    return isMore;
  }

  /** The kinds of retries that wait longer than any retry can: the clock of the server was set back. */
  async lateRetries(db: Db, longestMs: number): Promise<string[]> {
    const late = await rows(
      db,
      `SELECT DISTINCT kind FROM ${this.#dialect.tables.events}
        WHERE state = 'pending' AND attempts > 0 AND due_at > ${NOW} + $1::bigint`,
      [longestMs],
    );
    return late.map(({ kind }) => String(kind));
  }
}

/** Runs a statement. Resolves with its rows. */
export async function rows(db: Db, text: string, values: unknown[] = []): Promise<LedgerRow[]> {
  return (await db.executeSql(text, values)).rows;
}
