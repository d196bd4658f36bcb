import type { PgBoss } from "pg-boss";
import type { ConfigurationError } from "../../../errors/configuration.ts";
import { conflictNotFound, deadLetterNotFound } from "../errors.ts";
import type { Conflict, DeadLetter, EventFilter, EventList, WithBody } from "../event-list.ts";
import { isJobId, type JobData, kindFrom, reasonIn, storedKind } from "./job-data.ts";
import {
  dropConflicts,
  dropDead,
  type ListStatement,
  requeueConflicts,
  requeueDead,
} from "./list-statements.ts";
import { type Queue, type Queues, retentionSecondsOf } from "./queues.ts";

type Execute = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

interface Row {
  readonly id: string;
  readonly data: JobData;
  readonly retries: number | null;
  readonly output: object | null;
}

/** Runs something with the queues, once they are there. */
export type WithQueues = <T>(run: (queues: Queues) => Promise<T>) => Promise<T>;

/** The jobs of a queue that match, in the order of a list. */
async function listJobs(execute: Execute, queue: Queue, filter: EventFilter): Promise<Row[]> {
  const { kind, since, until, after, limit } = filter;
  const { rows } = await execute(
    `SELECT id, data, source_retry_count AS retries, source_output AS output FROM ${queue.table},
            LATERAL (SELECT (data->>'receivedAt')::bigint AS received_at) AS r
      WHERE name = $1 AND state < 'active'
        AND ($2::text IS NULL OR data->>'event' = $2)
        AND ($3::bigint IS NULL OR received_at >= $3)
        AND ($4::bigint IS NULL OR received_at < $4)
        AND ($5::bigint IS NULL OR (received_at, id) > ($5, $6::uuid))
      ORDER BY received_at, id LIMIT $7`,
    [
      queue.name,
      kind === undefined ? null : storedKind(kind),
      since ?? null,
      until ?? null,
      after?.receivedAt ?? null,
      after === undefined ? null : uuidAfter(after.id),
      limit,
    ],
  );
  return rows as Row[];
}

/** A position that was made by hand may name something else than a job. */
const uuidAfter = (id: string): string =>
  isJobId(id) ? id : "ffffffff-ffff-ffff-ffff-ffffffffffff";

const eventOf = ({ id, data }: Row): WithBody<Conflict> => ({
  id,
  event: kindFrom(data.event),
  body: data.body,
  receivedAt: data.receivedAt,
  ...(data.signature !== undefined && { signature: data.signature }),
});

/** The dead letters and the conflicts of an inbox. */
export class WaitingLists {
  readonly #boss: PgBoss;
  readonly #withQueues: WithQueues;
  readonly #retentionSeconds: number;
  readonly #onRequeued: () => void;

  constructor(boss: PgBoss, withQueues: WithQueues, retentionMs: number, onRequeued: () => void) {
    this.#boss = boss;
    this.#withQueues = withQueues;
    this.#retentionSeconds = retentionSecondsOf(retentionMs);
    this.#onRequeued = onRequeued;
  }

  readonly deadLetters: EventList<DeadLetter> = {
    list: (filter) =>
      this.#withQueues(async ({ dead }) => {
        const rows = await listJobs(this.#execute, dead, filter);
        return rows.map((row) => ({
          ...eventOf(row),
          attempts: (row.retries ?? 0) + 1,
          error: reasonIn(row.output),
        }));
      }),
    requeue: async (ids) => {
      await this.#change(ids, requeueDead, deadLetterNotFound);
      this.#onRequeued();
    },
    drop: (ids) => this.#change(ids, dropDead, deadLetterNotFound),
  };

  readonly conflicts: EventList<Conflict> = {
    list: (filter) =>
      this.#withQueues(async ({ conflicts }) =>
        (await listJobs(this.#execute, conflicts, filter)).map(eventOf),
      ),
    requeue: async (ids) => {
      await this.#change(ids, requeueConflicts, conflictNotFound);
      this.#onRequeued();
    },
    drop: (ids) => this.#change(ids, dropConflicts, conflictNotFound),
  };

  readonly #execute: Execute = (text, values) => this.#boss.getDb().executeSql(text, values);

  /** One statement changes all of them, or none. */
  async #change(
    ids: readonly string[],
    statement: ListStatement,
    notFound: (id: string) => ConfigurationError,
  ): Promise<void> {
    const unknown = ids.find((id) => !isJobId(id));
    if (unknown !== undefined) throw notFound(unknown);
    if (ids.length === 0) return;
    await this.#withQueues(async (queues) => {
      const { text, values } = statement(queues, ids, this.#retentionSeconds);
      const { rows } = await this.#execute(text, [...values]);
      const found = new Set((rows as { id: string }[]).map(({ id }) => id));
      const missing = ids.find((id) => !found.has(id));
      if (missing !== undefined) throw notFound(missing);
    });
  }
}
