import type { Queue, Queues } from "./queues.ts";

// Each of these is one statement: it changes all the jobs that it is given, or none where one of them
// is not in the list. It returns the ids that it found.

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Makes a statement for ids of a list. A job without its body is remembered for so many seconds. */
export type ListStatement = (
  queues: Queues,
  ids: readonly string[],
  retentionSeconds: number,
) => Statement;

/** Locks the jobs. `chosen` has all of them, or none where one is missing. */
const choose = ({ table }: Queue) => `
  WITH found AS MATERIALIZED (
    SELECT id, data, source_id FROM ${table} WHERE name = $1 AND id = ANY($2::uuid[]) AND state < 'active'
     ORDER BY id FOR UPDATE
  ), chosen AS MATERIALIZED (
    SELECT * FROM found WHERE (SELECT count(*) FROM found) = cardinality($2::uuid[])
  )`;

/** The columns of a new job of the queue `q`, after its id and data. */
const NEW_JOB_COLUMNS = `name, policy, retry_limit, retry_delay, retry_backoff, retry_delay_max,
  expire_seconds, deletion_seconds, keep_until, dead_letter, heartbeat_seconds`;
const NEW_JOB_VALUES = `q.name, q.policy, q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max,
  q.expire_seconds, q.deletion_seconds, now() + interval '1 s' * q.retention_seconds, q.dead_letter, q.heartbeat_seconds`;

/** Only the digest is left, and the event is forgotten after so many seconds. */
export const forgetBody = (seconds: string): string =>
  `data = jsonb_build_object('digest', data->'digest'), completed_on = now(), deletion_seconds = ${seconds}`;

const removeDead = ({ table }: Queue) =>
  `removed AS (DELETE FROM ${table} d USING chosen c WHERE d.name = $1 AND d.id = c.id)`;

/** The event is in its queue as a failed job. It may be gone there if another program deleted it. */
export const requeueDead: ListStatement = ({ deliveries, dead, settings }, ids) => ({
  text: `${choose(dead)}, ${removeDead(dead)}, queued AS (
    INSERT INTO ${deliveries.table} AS j (id, data, ${NEW_JOB_COLUMNS})
    SELECT c.source_id, c.data, ${NEW_JOB_VALUES}
      FROM chosen c JOIN ${settings} q ON q.name = $3 ORDER BY 1
    ON CONFLICT (name, id) DO UPDATE SET
      data = EXCLUDED.data, state = 'created', priority = 0, retry_count = 0, retry_limit = EXCLUDED.retry_limit,
      retry_delay = EXCLUDED.retry_delay, retry_backoff = EXCLUDED.retry_backoff, retry_delay_max = EXCLUDED.retry_delay_max,
      expire_seconds = EXCLUDED.expire_seconds, deletion_seconds = EXCLUDED.deletion_seconds,
      keep_until = EXCLUDED.keep_until, dead_letter = EXCLUDED.dead_letter, heartbeat_seconds = EXCLUDED.heartbeat_seconds,
      start_after = now(), started_on = NULL, completed_on = NULL, heartbeat_on = NULL, output = NULL
      WHERE j.state = 'failed'
  ) SELECT id FROM found`,
  values: [dead.name, ids, deliveries.name],
});

export const dropDead: ListStatement = ({ deliveries, dead }, ids, retentionSeconds) => ({
  text: `${choose(dead)}, ${removeDead(dead)}, forgotten AS (
    UPDATE ${deliveries.table} SET ${forgetBody("$4::int")}
     WHERE name = $3 AND state = 'failed' AND id IN (SELECT source_id FROM chosen)
  ) SELECT id FROM found`,
  values: [dead.name, ids, deliveries.name, retentionSeconds],
});

const endConflicts = ({ table }: Queue) => `ended AS (
    UPDATE ${table} SET state = 'completed', ${forgetBody("$3::int")}
     WHERE name = $1 AND id IN (SELECT id FROM chosen)
  )`;

/** A conflict becomes an event of its own, with the key that `asOwnEvent` gives it. */
export const requeueConflicts: ListStatement = (queues, ids, retentionSeconds) => ({
  text: `${choose(queues.conflicts)}, ${endConflicts(queues.conflicts)}, keyed AS (
    SELECT id, data, encode(sha256(convert_to((data->>'key') || '-' || (data->>'digest'), 'UTF8')), 'hex') AS key
      FROM chosen
  ), queued AS (
    INSERT INTO ${queues.deliveries.table} (id, data, ${NEW_JOB_COLUMNS})
    SELECT k.id, k.data || jsonb_build_object('key', k.key), ${NEW_JOB_VALUES}
      FROM keyed k JOIN ${queues.settings} q ON q.name = $4 ORDER BY 1
    ON CONFLICT DO NOTHING
  ) SELECT id FROM found`,
  values: [queues.conflicts.name, ids, retentionSeconds, queues.deliveries.name],
});

export const dropConflicts: ListStatement = ({ conflicts }, ids, retentionSeconds) => ({
  text: `${choose(conflicts)}, ${endConflicts(conflicts)} SELECT id FROM found`,
  values: [conflicts.name, ids, retentionSeconds],
});
