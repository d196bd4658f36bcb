import type { Db } from "pg-boss";
import { textDecoder } from "../../../internal/utf8.ts";
import { bytesOf } from "../delivery.ts";
import type { Horizon, NewDelivery, Receipt } from "../inbox-types.ts";
import { type Kinds, OTHER_QUEUE, QUEUES } from "../kinds.ts";
import { asDone, LedgerStatements } from "../ledger/review-statements.ts";
import {
  bytesOfHex,
  DELIVERY_COLUMNS,
  deliveryValues,
  type LedgerRow,
  traceContextIn,
} from "../ledger/rows.ts";
import { forAPerson, type KindCounts } from "../ledger/stats.ts";
import type { Dialect } from "../ledger/tables.ts";
import type { QueuedEvent } from "./queues.ts";
import { rows } from "./tables.ts";

/** The clock of the server, in milliseconds. */
const NOW = "(extract(epoch FROM now()) * 1000)::bigint";

const KEYS = "ANY(ARRAY(SELECT decode(k, 'hex') FROM unnest($1::text[]) AS k))";

/** The queue of an event. */
const QUEUE = `CASE WHEN kind IN (${QUEUES.map((queue) => `'${queue}'`)}) THEN kind ELSE '${OTHER_QUEUE}' END`;

/** A process that has written nothing for this long does not run any more. */
const ALIVE_MS = 90_000;

/** So far, two connections may differ in what the time is. */
const CLOCK_SLACK_MS = 5_000;

/** How many rows are forgotten at once. */
const FORGET_BATCH = 1_000;

/** Text as PostgreSQL stores it: it takes neither a NUL nor half a surrogate pair. */
const storable = (text: string): string =>
  textDecoder().decode(bytesOf(text)).replaceAll("\0", "\uFFFD");

// Those of the columns of a delivery, and of what else is known of it.
const TYPES = "bytea,bytea,text,bytea,int,bigint,bigint,text,text,text,bytea,text".split(",");
const GIVEN = `unnest(${TYPES.map((type, at) => `$${at + 1}::${type}[]`)})
  AS g(${DELIVERY_COLUMNS}, former_key, error)`;

/** The values of {@link GIVEN}: an array for each column. */
function given(deliveries: readonly NewDelivery[]): unknown[][] {
  const values = deliveries.map((delivery) => [
    ...deliveryValues(delivery),
    delivery.formerKey === undefined ? null : bytesOfHex(delivery.formerKey),
    delivery.deadLetterReason ?? null,
  ]);
  return TYPES.map((_, at) =>
    values.map((row) => (typeof row[at] === "string" ? storable(row[at]) : row[at])),
  );
}

/** How an attempt failed. */
interface Failure {
  readonly key: string;
  readonly attempts: number;
  readonly error: string;
  /** When the next attempt begins at the latest; without it, the event is a dead letter. */
  readonly retryInMs?: number | undefined;
}

/** What an inbox has seen, and what waits for a person. */
export class Ledger {
  readonly #dialect: Dialect;
  readonly #tables: Dialect["tables"];
  readonly #retentionMs: number;
  readonly statements: LedgerStatements;
  /** For a delivery `g`: whether it is known by its former key, or a person has decided on it. */
  readonly #isKnown: string;

  constructor(dialect: Dialect, retentionMs: number) {
    this.#dialect = dialect;
    this.#tables = dialect.tables;
    this.#retentionMs = Math.round(retentionMs);
    this.statements = new LedgerStatements(dialect, this.#retentionMs, () => NOW);
    this.#isKnown = `(EXISTS (SELECT FROM ${this.#tables.conflicts} c WHERE c.state = 'decided'
        AND c.digest = g.digest AND c.key IN (g.key, g.former_key))
      OR EXISTS (SELECT FROM ${this.#tables.events} f WHERE f.key = g.former_key AND f.digest = g.digest))`;
  }

  /** Whether the clock of the server was set back, and has not yet reached again what it was. */
  async isClockBehind(db: Db): Promise<boolean> {
    const text = `INSERT INTO ${this.#tables.meta} AS m VALUES ('clock', ${NOW}::text)
      ON CONFLICT (name) DO UPDATE SET value = greatest(m.value::bigint, ${NOW})::text
      RETURNING m.value::bigint > ${NOW} + ${CLOCK_SLACK_MS} AS behind`;
    return (await rows(db, text))[0]?.behind === true;
  }

  /** When pg-boss created each queue. @param lock - `FOR UPDATE`, if others are to wait. */
  async knownQueues(db: Db, lock = ""): Promise<Readonly<Record<string, string>>> {
    const text = `SELECT value FROM ${this.#tables.meta} WHERE name = 'queues' ${lock}`;
    return JSON.parse(String((await rows(db, text))[0]?.value));
  }

  async setKnownQueues(db: Db, created: Readonly<Record<string, string>>): Promise<void> {
    const text = `UPDATE ${this.#tables.meta} SET value = $1 WHERE name = 'queues'`;
    await db.executeSql(text, [JSON.stringify(created)]);
  }

  /** Stores deliveries. Resolves with what each of them is. */
  async accept(db: Db, deliveries: readonly NewDelivery[]): Promise<Receipt["kind"][]> {
    // A statement cannot insert a key twice, and say which delivery was the first.
    const first = new Map(deliveries.toReversed().map((delivery) => [delivery.key, delivery]));
    const stored = await this.insert(db, [...first.values()]);
    const isNew = (one: NewDelivery) => stored.has(one.key) && first.get(one.key) === one;
    const others = deliveries.filter((one) => !isNew(one));
    const conflicts = others.length === 0 ? new Set() : await this.#insertConflicts(db, others);
    return deliveries.map((one) => {
      if (isNew(one)) return "accepted";
      return conflicts.has(one.key + one.digest) ? "conflict" : "duplicate";
    });
  }

  /** Stores new events. Resolves with the keys of those that are stored now. */
  async insert(db: Db, deliveries: readonly NewDelivery[]): Promise<Set<string>> {
    const text = `
      INSERT INTO ${this.#tables.events} (${DELIVERY_COLUMNS}, state, error, due_at)
      SELECT ${DELIVERY_COLUMNS}, CASE WHEN error IS NULL THEN 'pending' ELSE 'dead' END, error, ${NOW}
        FROM ${GIVEN} WHERE NOT ${this.#isKnown} ORDER BY key
      ON CONFLICT (key) DO NOTHING RETURNING encode(key, 'hex') AS hex`;
    return new Set((await rows(db, text, given(deliveries))).map(({ hex }) => String(hex)));
  }

  /** Stores those as conflicts that are not known. Resolves with the key and digest of each. */
  async #insertConflicts(db: Db, deliveries: readonly NewDelivery[]): Promise<Set<unknown>> {
    const { events, conflicts } = this.#tables;
    const text = `
      WITH other AS (
        SELECT g.* FROM ${GIVEN} JOIN ${events} e ON e.key = g.key
         WHERE e.digest <> g.digest AND NOT ${this.#isKnown}
      ), stored AS (
        INSERT INTO ${conflicts} (${DELIVERY_COLUMNS}, state) SELECT ${DELIVERY_COLUMNS}, 'open' FROM other
        ON CONFLICT (key, digest) DO NOTHING
      )
      SELECT encode(key || digest, 'hex') AS hex FROM other`;
    return new Set((await rows(db, text, given(deliveries))).map(({ hex }) => hex));
  }

  /** The events, by their keys. */
  async read(db: Db, keys: readonly string[]): Promise<Map<unknown, LedgerRow>> {
    const text = `SELECT encode(key, 'hex') AS hex, * FROM ${this.#tables.events} WHERE key = ${KEYS}`;
    const found = keys.length === 0 ? [] : await rows(db, text, [keys]);
    return new Map(found.map((row) => [row.hex, row]));
  }

  /** Ends events that wait. Resolves with how many there were. */
  async done(db: Db, keys: readonly string[]): Promise<number> {
    const changes = asDone(this.#dialect, NOW, this.#retentionMs);
    const text = `UPDATE ${this.#tables.events} SET ${changes} WHERE key = ${KEYS} AND state = 'pending' RETURNING 1`;
    return (await rows(db, text, [keys])).length;
  }

  /** Resolves with how many of the events waited. */
  async failed(db: Db, failures: readonly Failure[]): Promise<number> {
    const text = `
      UPDATE ${this.#tables.events} e SET attempts = f.attempts, error = f.error, due_at = ${NOW} + coalesce(f."retryInMs", 0),
        state = CASE WHEN f."retryInMs" IS NULL THEN 'dead' ELSE 'pending' END
      FROM json_to_recordset($1::json) AS f(key text, attempts int, error text, "retryInMs" bigint)
      WHERE e.key = decode(f.key, 'hex') AND e.state = 'pending' RETURNING 1`;
    const given = failures.map((one) => ({ ...one, error: storable(one.error) }));
    return (await rows(db, text, [JSON.stringify(given)])).length;
  }

  /** Events that wait. @param condition - Which of them; `$1` stands for the value. */
  async #pending(db: Db, condition: string, value: unknown): Promise<QueuedEvent[]> {
    const text = `SELECT encode(key, 'hex') AS hex, kind, attempts, trace_context FROM ${this.#tables.events}
      WHERE state = 'pending' AND ${condition}`;
    return (await rows(db, text, [value])).map((row) => ({
      key: String(row.hex),
      event: String(row.kind),
      attempts: Number(row.attempts),
      traceContext: traceContextIn(row),
    }));
  }

  /** Some of the events that wait. @param after - The last key of those before. */
  pending(db: Db, after: string): Promise<QueuedEvent[]> {
    return this.#pending(db, "key > decode($1, 'hex') ORDER BY key LIMIT 1000", after);
  }

  /** Some of the events that no process has taken for the whole retention, of kinds other than these. */
  async unprocessed(db: Db, kinds: Kinds): Promise<QueuedEvent[]> {
    if (kinds === undefined) return [];
    const before = `${NOW} - ${this.#retentionMs}`;
    const condition = `received_at < ${before} AND due_at < ${before} AND NOT kind = ANY($1::text[])
      ORDER BY received_at LIMIT ${FORGET_BATCH} FOR UPDATE SKIP LOCKED`;
    return this.#pending(db, condition, kinds);
  }

  async delete(db: Db, keys: readonly string[]): Promise<void> {
    await db.executeSql(`DELETE FROM ${this.#tables.events} WHERE key = ${KEYS}`, [keys]);
  }

  /** The queues with events that wait longer than any can: the clock of the server was set back. */
  async lateQueues(db: Db, longestMs: number): Promise<string[]> {
    const text = `SELECT DISTINCT ${QUEUE} AS queue FROM ${this.#tables.events}
      WHERE state = 'pending' AND due_at > ${NOW} + $1::bigint`;
    return (await rows(db, text, [longestMs])).map(({ queue }) => String(queue));
  }

  /** Makes those of a queue due now. Resolves with the time of the server, in milliseconds. */
  async freeLate(db: Db, queue: string, longestMs: number): Promise<number> {
    const text = `UPDATE ${this.#tables.events} SET due_at = ${NOW}
      WHERE state = 'pending' AND due_at > ${NOW} + $1::bigint AND ${QUEUE} = $2`;
    await db.executeSql(text, [longestMs, queue]);
    return Number((await rows(db, `SELECT ${NOW} AS now`))[0]?.now);
  }

  /** Says on which events a process works, if any. */
  async setRunning(db: Db, worker: string, keys: readonly string[]): Promise<void> {
    const { meta } = this.#tables;
    const text =
      keys.length === 0
        ? `DELETE FROM ${meta} WHERE name = $1 AND $2::json IS NOT NULL`
        : `INSERT INTO ${meta} VALUES ($1, json_build_object('at', ${NOW}, 'running', $2::json)::text)
            ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`;
    await db.executeSql(text, [`worker ${worker}`, JSON.stringify(keys)]);
  }

  /** The numbers of each kind of which events wait. */
  async counts(db: Db): Promise<(KindCounts & { readonly due: unknown })[]> {
    const { events, meta } = this.#tables;
    const text = `
      WITH running AS MATERIALIZED (
        SELECT decode(json_array_elements_text(value::json->'running'), 'hex') AS key FROM ${meta}
         WHERE name LIKE 'worker %' AND (value::json->>'at')::bigint > ${NOW} - ${ALIVE_MS}
      )
      SELECT kind, count(*) AS count, count(r.key) AS running,
        count(*) FILTER (WHERE r.key IS NULL AND due_at <= ${NOW}) AS due,
        count(*) FILTER (WHERE r.key IS NULL AND attempts > 0) AS retrying,
        min(received_at) FILTER (WHERE r.key IS NULL) AS oldest,
        min(received_at) FILTER (WHERE r.key IS NULL AND attempts > 0) AS oldest_retrying,
        ${NOW} - min(due_at) FILTER (WHERE r.key IS NULL) AS lag
      FROM ${events} e LEFT JOIN running r ON r.key = e.key WHERE state = 'pending' GROUP BY 1`;
    return (await db.executeSql(text)).rows;
  }

  countForAPerson(db: Db): Promise<LedgerRow[]> {
    return rows(db, forAPerson(this.#dialect));
  }

  /** An event that was signed after the last forgotten one is remembered, whatever the retention was. */
  async horizon(db: Db): Promise<Horizon> {
    const text = `SELECT ${NOW} AS now, greatest(${NOW} - ${this.#retentionMs},
      (SELECT value::bigint FROM ${this.#tables.meta} WHERE name = 'forgotten_until')) AS since`;
    const [row] = await rows(db, text);
    return { now: Number(row?.now), remembersSince: Number(row?.since) };
  }

  /** Forgets what is over, some at a time. Resolves with whether there may be more. */
  async forget(db: Db): Promise<boolean> {
    const { events, conflicts, meta } = this.#tables;
    await db.executeSql(
      `DELETE FROM ${meta} WHERE CASE WHEN name LIKE 'worker %' THEN (value::json->>'at')::bigint < ${NOW} - ${ALIVE_MS} END`,
    );
    const deleteFrom = (table: string) => `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${table} WHERE forget_at <= ${NOW} ORDER BY forget_at LIMIT ${FORGET_BATCH}
      FOR UPDATE SKIP LOCKED)) RETURNING signed_at`;
    const [forgotten] = await rows(
      db,
      `WITH c AS (${deleteFrom(conflicts)}), e AS (${deleteFrom(events)}), gone AS (TABLE c UNION ALL TABLE e), until AS (
         INSERT INTO ${meta} AS m SELECT 'forgotten_until', max(signed_at)::text FROM gone HAVING count(*) > 0
         ON CONFLICT (name) DO UPDATE SET value = greatest(m.value::bigint, EXCLUDED.value::bigint)::text)
       SELECT count(*) AS count FROM gone`,
    );
    return Number(forgotten?.count) >= FORGET_BATCH;
  }
}
