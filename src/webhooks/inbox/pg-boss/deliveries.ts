import type { PgBoss } from "pg-boss";
import { EventMissingError } from "../errors.ts";
import { type NewDelivery, type Receipt, receiptFor } from "../types.ts";
import { Groups } from "./groups.ts";
import { conflictJobIdOf, type JobData, jobDataOf, jobIdOf, storable } from "./job-data.ts";
import { noReply, type Queues } from "./queues.ts";

const MAX_GROUP_ITEMS = 200;
const MAX_GROUP_BYTES = 2 ** 21;

/** A delivery as a job. */
interface NewJob {
  readonly id: string;
  readonly data: JobData;
  readonly bytes: number;
}

/** The digest of the event that is stored under the id, or that it was stored now. */
type Outcome = { readonly isNew: true } | { readonly isNew: false; readonly digest: string };

/**
 * Whether an error can come from the data of one row: its class is "data exception", "integrity
 * constraint violation" or "program limit exceeded".
 */
const isOfOneRow = (error: unknown): boolean =>
  /^(22|23|54)...$/.test(String((error as { code?: unknown } | null)?.code));

/** Stores deliveries, in groups. */
export class Deliveries {
  readonly #boss: PgBoss;
  readonly #queues: () => Queues;
  readonly #groups: Groups<NewJob, Outcome>;

  constructor(boss: PgBoss, queues: () => Queues, timeoutMs: number) {
    this.#boss = boss;
    this.#queues = queues;
    this.#groups = new Groups<NewJob, Outcome>({
      run: (jobs) => this.#insert(jobs),
      idOf: ({ id }) => id,
      bytesOf: ({ bytes }) => bytes,
      maxItems: MAX_GROUP_ITEMS,
      maxBytes: MAX_GROUP_BYTES,
      timeoutMs,
      timeoutError: noReply,
      isOfOneItem: isOfOneRow,
    });
  }

  async accept(delivery: NewDelivery): Promise<Receipt> {
    const job = {
      id: jobIdOf(delivery.key),
      data: jobDataOf(delivery),
      bytes: delivery.raw.byteLength,
    };
    const { deadLetterReason } = delivery;
    const outcome =
      deadLetterReason === undefined
        ? await this.#groups.run(job)
        : await this.#insertDead(job, deadLetterReason);
    if (outcome.isNew) return receiptFor("accepted");
    if (outcome.digest === delivery.digest) return receiptFor("duplicate");
    return this.#keepConflict(job.data);
  }

  async #insert(jobs: readonly NewJob[]): Promise<Outcome[]> {
    const rows = jobs.map(({ id, data }) => ({ id, data }));
    const { name } = this.#queues().deliveries;
    const inserted = new Set(await this.#boss.insert(name, rows, { returnId: true }));
    const others = jobs.filter(({ id }) => !inserted.has(id)).map(({ id }) => id);
    const digests = others.length === 0 ? undefined : await this.#digestsOf(others);
    return jobs.map(({ id }) => {
      if (inserted.has(id)) return { isNew: true };
      const digest = digests?.get(id);
      if (digest === undefined) throw new EventMissingError("PostgreSQL");
      return { isNew: false, digest };
    });
  }

  async #digestsOf(ids: readonly string[]): Promise<Map<string, string>> {
    const { name, table } = this.#queues().deliveries;
    const { rows } = await this.#boss
      .getDb()
      .executeSql(
        `SELECT id, data->>'digest' AS digest FROM ${table} WHERE name = $1 AND id = ANY($2::uuid[])`,
        [name, ids],
      );
    return new Map((rows as { id: string; digest: string }[]).map((row) => [row.id, row.digest]));
  }

  /** The event is remembered in its queue as failed, and is a dead letter that nobody has tried. */
  async #insertDead({ id, data }: NewJob, reason: string): Promise<Outcome> {
    const { deliveries, dead, settings } = this.#queues();
    const { rows } = await this.#boss.getDb().executeSql(
      `WITH stored AS (
         INSERT INTO ${deliveries.table} (id, name, data, state, completed_on, policy, dead_letter, retry_limit, deletion_seconds)
         SELECT $3::uuid, name, jsonb_build_object('digest', $4::jsonb->'digest'), 'failed', now(), policy, dead_letter, 0, 0
           FROM ${settings} WHERE name = $1
         ON CONFLICT DO NOTHING RETURNING id
       ), letter AS (
         INSERT INTO ${dead.table} (name, data, policy, deletion_seconds, keep_until, source_name, source_id, source_output, source_retry_count)
         SELECT q.name, $4::jsonb, q.policy, q.deletion_seconds, now() + interval '1 s' * q.retention_seconds, $1, stored.id,
                jsonb_build_object('message', $5::text), -1
           FROM stored JOIN ${settings} q ON q.name = $2
       )
       SELECT id FROM stored`,
      [deliveries.name, dead.name, id, JSON.stringify(data), storable(reason)],
    );
    if (rows.length > 0) return { isNew: true };
    const digest = (await this.#digestsOf([id])).get(id);
    if (digest === undefined) throw new EventMissingError("PostgreSQL");
    return { isNew: false, digest };
  }

  /** A conflict that a person has requeued or dropped is a duplicate. */
  async #keepConflict(data: JobData): Promise<Receipt> {
    const { name, table } = this.#queues().conflicts;
    const id = conflictJobIdOf(data);
    const inserted = await this.#boss.insert(name, [{ id, data }], { returnId: true });
    if (inserted !== null && inserted.length > 0) return receiptFor("conflict");
    const { rows } = await this.#boss
      .getDb()
      .executeSql(`SELECT state::text FROM ${table} WHERE name = $1 AND id = $2`, [name, id]);
    const [stored] = rows as { state: string }[];
    if (stored === undefined) throw new EventMissingError("PostgreSQL");
    return receiptFor(stored.state === "created" ? "conflict" : "duplicate");
  }
}
