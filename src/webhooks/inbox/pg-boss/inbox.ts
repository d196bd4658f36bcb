/**
 * An inbox in PostgreSQL, by pg-boss: the effect of an event and the note of it in one transaction.
 *
 * @module malipo/inbox/pg-boss
 */

import { type Job as BossJob, PgBoss } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { bounded } from "../bounded.ts";
import { retentionOf } from "../options.ts";
import {
  atWork,
  bytesOf,
  DIED,
  exactText,
  type Inbox,
  noDeadLetter,
  receiptFor,
  STANDARD_PACE,
  type Work,
  whyFailed,
} from "../types.ts";
import {
  BOSS_OPTIONS,
  besides,
  type Data,
  distrust,
  isJobId,
  jobIdOf,
  openQueues,
  type Tuning,
} from "./queues.ts";
import { transactionOf } from "./transaction.ts";

export type { PgBossTransaction } from "./transaction.ts";

interface Common {
  /** The queue's name. Beside it lie `<queue>-dead` and `<queue>-conflicts`. @default "malipo-webhooks" */
  queue?: string | undefined;
  /** How long what was worked off is remembered, so that a late repeat is known. @default 14 days */
  retentionMs?: number | undefined;
  /** @internal */
  tuning?: Tuning | undefined;
}

/** How {@link pgBossInbox} is set up: by the address of a database, or with a pg-boss of your own. */
export type PgBossInboxOptions = Common &
  (
    | { readonly connectionString: string; readonly boss?: undefined }
    | { readonly boss: PgBoss; readonly connectionString?: undefined }
  );

const OPTIONS = ["connectionString", "boss", "queue", "retentionMs", "tuning"];

const TRY_AGAIN_MS = 2_000;

const SILENT = "PostgreSQL does not answer.";

/** jsonb takes neither a NUL nor half a surrogate pair. */
const storable = (text: string) =>
  new TextDecoder().decode(bytesOf(text)).replaceAll("\0", "\uFFFD");

/** What pg-boss kept of the failure of a dead letter. */
function reasonIn(output: object | null): string {
  const { message, value } = (output ?? {}) as { message?: unknown; value?: { message?: unknown } };
  // What pg-boss says of a process that fell silent.
  if (value?.message === "job heartbeat timeout") return DIED;
  return String(message ?? value?.message ?? "");
}

/**
 * Keeps deliveries in a pg-boss queue: one job an event, worked off by any process on that
 * PostgreSQL. A handler's `transaction` runs its own writes to that database and "done" in one
 * transaction: one effect for one event. `pg-boss` is yours to install.
 *
 * A pg-boss of your own is started where it has not been, and stays yours to stop. So that the events
 * of a worker that died are worked again within a minute, make it with `monitorIntervalSeconds: 10`
 * and `superviseIntervalSeconds: 10`.
 *
 * What `stop` hands back counts as a failed attempt here.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { pgBossInbox, type PgBossTransaction } from "malipo/inbox/pg-boss";
 *
 * const inbox = pgBossInbox({ connectionString: "postgres://localhost/shop" });
 * const receiver = createWebhookReceiver({ secret, inbox });
 * receiver.on("payment.completed", async (event, { transaction }) => {
 *   await transaction?.(async (client: PgBossTransaction) => {
 *     await client.query("UPDATE orders SET paid = true WHERE id = $1", [event.data.account_reference]);
 *   });
 * });
 * ```
 */
export function pgBossInbox(options: PgBossInboxOptions): Inbox {
  const { connectionString, boss: theirs, queue = "malipo-webhooks", tuning = {} } = options;
  const retentionMs = retentionOf("pgBossInbox", options, OPTIONS);
  if ((connectionString === undefined) === (theirs === undefined)) {
    throw new ConfigurationError("pgBossInbox takes either `connectionString` or `boss`.");
  }
  const boss =
    theirs ??
    new PgBoss({ ...BOSS_OPTIONS, connectionString: connectionString as string, ...tuning.boss });
  const { answerMs = STANDARD_PACE.answerMs } = tuning;
  const { dead, conflicts } = besides(queue);
  const running = new Set<AbortController>();
  const workers: string[] = [];
  let onError: Work["onError"] = () => {};
  let opening: Promise<void> | undefined;
  let working: Promise<void> | undefined;
  let life: "new" | "started" | "stopped" = "new";
  let woken = 0;
  boss.on("error", (error) => {
    // With a pg-boss of theirs, other queues are not ours to report.
    if (theirs === undefined || (error as { queue?: unknown }).queue === queue) onError(error);
  });

  /** Once, and again where it failed. */
  function open(): Promise<void> {
    opening ??= (async () => {
      try {
        await boss.start();
        await openQueues(boss, queue, retentionMs, tuning.queue ?? {});
      } catch (error) {
        opening = undefined;
        throw error;
      }
    })();
    return opening;
  }

  /** For somebody who waits for the answer. */
  function ask<T>(question: () => Promise<T>): Promise<T> {
    if (life === "stopped") return Promise.reject(new Error("The inbox was stopped."));
    return bounded(open().then(question), answerMs, SILENT);
  }

  async function work(run: Work["run"], job: BossJob<Data>): Promise<void> {
    const { key, body } = job.data;
    const controller = new AbortController();
    let done = false;
    running.add(controller);
    job.signal.addEventListener("abort", () => done || controller.abort(job.signal.reason));
    const transaction = transactionOf(boss, queue, job, () => {
      done = true;
    });
    try {
      const { signal } = controller;
      const attempt = job.retryCount + 1;
      await run({ key, raw: bytesOf(body), attempt, signal, ...(transaction && { transaction }) });
    } catch (error) {
      throw new Error(storable(whyFailed(error)));
    } finally {
      running.delete(controller);
    }
  }

  async function startWorker(run: Work["run"]): Promise<void> {
    let id = "";
    const handler = async ([job]: BossJob<Data>[]) => {
      // Where there was one, there may be more: it looks again at once.
      boss.notifyWorker(id);
      await work(run, job as BossJob<Data>);
    };
    id = await boss.work<Data>(queue, { batchSize: 1 }, handler);
    workers.push(id);
  }

  /** Tries until PostgreSQL is there. The first try is waited for. */
  async function startWorkers({ run, concurrency }: Work): Promise<void> {
    try {
      await open();
      for (const fault of await distrust(boss)) onError(fault);
      while (workers.length < concurrency && life === "started") await startWorker(run);
    } catch (error) {
      onError(error);
      setTimeout(() => {
        if (life === "started") working = startWorkers({ run, concurrency, onError });
      }, TRY_AGAIN_MS);
    }
  }

  return {
    accept: ({ key, digest, raw, secretIndex, receivedAt }) =>
      ask(async () => {
        const data: Data = { key, digest, body: exactText(raw), secretIndex, receivedAt };
        const id = jobIdOf(key);
        if ((await boss.send(queue, data, { id })) !== null) {
          const worker = workers[woken++ % workers.length];
          if (worker !== undefined) boss.notifyWorker(worker);
          return receiptFor("accepted");
        }
        const [stored] = await boss.findJobs<Data>(queue, { id });
        // One that is gone was done so long ago that it is forgotten at this moment.
        if (stored === undefined || stored.data.digest === digest) return receiptFor("duplicate");
        await boss.send(conflicts, data, { id: jobIdOf(key.slice(0, 16) + digest) });
        return receiptFor("conflict");
      }),
    start: async (told) => {
      if (life !== "new") throw atWork();
      life = "started";
      onError = told.onError;
      working = startWorkers(told);
      await bounded(working, answerMs, SILENT).catch(onError);
    },
    stop: async (timeoutMs) => {
      life = "stopped";
      const ended = boss.offWork(queue, { wait: true });
      await bounded(ended, timeoutMs, SILENT).catch(async () => {
        for (const controller of running) controller.abort(new Error("The receiver was stopped."));
        await bounded(ended, answerMs / 2, SILENT).catch(onError);
      });
      if (theirs !== undefined) return;
      await bounded(boss.stop({ graceful: false }), answerMs / 2, SILENT).catch(onError);
    },
    deadLetters: () =>
      ask(async () => {
        const jobs = await boss.findJobs<Data>(dead, { queued: true });
        return jobs.map(({ id, data, sourceRetryCount, sourceOutput }) => ({
          id,
          event: JSON.parse(data.body.replace(/^\uFEFF/, "")).event,
          body: data.body,
          attempts: (sourceRetryCount ?? 0) + 1,
          error: reasonIn(sourceOutput),
        }));
      }),
    requeue: (id) =>
      ask(async () => {
        const moved = isJobId(id) ? await boss.redrive(dead, { ids: [id] }) : 0;
        if (moved === 0) throw noDeadLetter(id);
      }),
  };
}
