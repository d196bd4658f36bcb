/**
 * An inbox in Redis, by BullMQ: for many machines.
 *
 * @module malipo/inbox/bullmq
 */

import { type Job as BullmqJob, Queue, UnrecoverableError, WaitingError, Worker } from "bullmq";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { bounded } from "../bounded.ts";
import { retentionOf } from "../options.ts";
import {
  atWork,
  bytesOf,
  DIED,
  exactText,
  type Inbox,
  MOST_ATTEMPTS,
  noDeadLetter,
  type Pace,
  receiptFor,
  STANDARD_PACE,
  type Work,
  whyFailed,
} from "../types.ts";
import {
  type BullmqConnection,
  connectToAccept,
  connectToWork,
  distrust,
  readiness,
} from "./connection.ts";

export type { BullmqConnection } from "./connection.ts";

/** How {@link bullmqInbox} is set up. */
export interface BullmqInboxOptions {
  /** An ioredis client or its options. A client stays yours: the inbox makes connections of its own. */
  connection: BullmqConnection;
  /** The queue's name. Conflicts lie in one beside it, `<queue>-conflicts`. @default "malipo-webhooks" */
  queue?: string | undefined;
  /** How long what was worked off is remembered, so that a late repeat is known. @default 14 days */
  retentionMs?: number | undefined;
  /** @internal */
  pace?: Pace | undefined;
}

const OPTIONS = ["connection", "queue", "retentionMs", "pace"];

/** What a job holds. Its name is the event kind, its id the key. */
interface Data {
  readonly body: string;
  readonly digest: string;
  readonly secretIndex: number;
  readonly receivedAt: number;
  /** Tells the delivery that made the job from those that found it made. */
  readonly nonce: string;
  /** Deaths that a requeue has forgiven. */
  readonly forgiven?: number;
}

/** Attempts that came to an end: those that failed, and those that a process died over. */
const attemptsOf = ({ attemptsMade, stalledCounter, data }: BullmqJob<Data>) =>
  attemptsMade + stalledCounter - (data.forgiven ?? 0);

/**
 * Keeps deliveries in a BullMQ queue: one job an event, worked off by any process on that Redis,
 * visible in whatever shows your queues. `bullmq` and `ioredis` are yours to install.
 *
 * The promise is as good as the Redis: give it `appendonly yes` with `appendfsync always`, and a
 * `maxmemory-policy` of `noeviction`. `onError` is told at the start where it is otherwise.
 *
 * A handler has no `transaction` here: use its `idempotencyKey`.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { bullmqInbox } from "malipo/inbox/bullmq";
 *
 * const inbox = bullmqInbox({ connection: { host: "127.0.0.1", port: 6379 } });
 * const receiver = createWebhookReceiver({ secret, inbox });
 * ```
 */
export function bullmqInbox(options: BullmqInboxOptions): Inbox {
  const { connection, queue: name = "malipo-webhooks", pace = STANDARD_PACE } = options;
  const retentionMs = retentionOf("bullmqInbox", options, OPTIONS);
  if (typeof connection !== "object") {
    throw new ConfigurationError(
      "bullmqInbox: `connection` is missing. It takes an ioredis client or its options.",
    );
  }
  const { leaseMs, answerMs = STANDARD_PACE.answerMs } = pace;
  const redis = connectToAccept(connection, answerMs);
  // Asked by us instead, and after the start: a connection that breaks then must not end the queue.
  const shared = { connection: redis, skipVersionCheck: true };
  const queue = new Queue<Data, unknown, string>(name, shared);
  const conflicts = new Queue<Data, unknown, string>(`${name}-conflicts`, shared);
  const ready = readiness(redis);
  const running = new Map<string, { controller: AbortController; end: Promise<void> }>();
  let onError: Work["onError"] = () => {};
  let worker: Worker<Data> | undefined;
  let stopping = false;
  // Each has a listener, or Node would end the process over a Redis that is away.
  for (const emitter of [redis, queue, conflicts]) emitter.on("error", () => {});

  async function work(run: Work["run"], job: BullmqJob<Data>, token: string): Promise<void> {
    const id = job.id as string;
    const attempt = attemptsOf(job) + 1;
    if (attempt > MOST_ATTEMPTS) throw new UnrecoverableError(DIED);
    const controller = new AbortController();
    const { signal } = controller;
    try {
      if (!stopping) {
        const end = run({ key: id, raw: bytesOf(job.data.body), attempt, signal });
        running.set(id, { controller, end });
        await end;
        return;
      }
    } catch (error) {
      if (!(stopping && signal.aborted)) {
        // BullMQ reads meaning into some classes of error, and into what they say.
        const failure = attempt < MOST_ATTEMPTS ? Error : UnrecoverableError;
        throw new failure(whyFailed(error));
      }
    } finally {
      running.delete(id);
    }
    await job.moveToWait(token);
    throw new WaitingError();
  }

  function startWorker({ run, concurrency }: Work, client: ReturnType<typeof connectToWork>) {
    const made = new Worker<Data>(name, (job, token) => work(run, job, token as string), {
      connection: client,
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: (leaseMs * 2) / 3,
      // A death is an attempt, and counted with them: here it must never be the end of an event.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      removeOnComplete: { age: Math.ceil(retentionMs / 1_000) },
      runRetryDelay: 1_000,
      settings: {
        backoffStrategy: (_made, _type, _error, job) =>
          pace.backoffMs(attemptsOf(job as BullmqJob<Data>) + 1),
      },
    });
    made.on("error", (error) => onError(error));
    made.on("lockRenewalFailed", (ids) => {
      for (const id of ids) {
        const { controller } = running.get(id) ?? {};
        controller?.abort(new Error("The lease was lost: another process works this event."));
      }
    });
    return made;
  }

  let client: ReturnType<typeof connectToWork> | undefined;

  async function stopWorker(stopped: Worker<Data>, timeoutMs: number): Promise<void> {
    const isReached = client?.status === "ready";
    const ends = Promise.allSettled([...running.values()].map(({ end }) => end));
    // Without Redis nothing can be written, and what waits for it waits for ever.
    const closing = isReached ? stopped.close() : ends.then(() => stopped.close(true));
    try {
      await bounded(closing, timeoutMs, "");
    } catch {
      for (const { controller } of running.values()) {
        controller.abort(new Error("The receiver was stopped."));
      }
      await bounded(closing, answerMs, "Redis does not answer.").catch(onError);
    }
  }

  return {
    accept: async ({ key, digest, event, raw, secretIndex, receivedAt }) => {
      await ready();
      const nonce = globalThis.crypto.randomUUID();
      const data: Data = { body: exactText(raw), digest, secretIndex, receivedAt, nonce };
      await queue.add(event, data, {
        jobId: key,
        attempts: MOST_ATTEMPTS,
        backoff: { type: "malipo" },
      });
      const stored = (await queue.getJob(key))?.data;
      if (stored?.nonce === nonce) return receiptFor("accepted");
      // One that is gone was done so long ago that it is forgotten at this moment.
      if (stored === undefined || stored.digest === digest) return receiptFor("duplicate");
      await conflicts.add(event, data, { jobId: `${key}-${digest}` });
      return receiptFor("conflict");
    },
    start: async (told) => {
      if (worker !== undefined) throw atWork();
      onError = told.onError;
      client = connectToWork(connection);
      client.on("error", () => {});
      worker = startWorker(told, client);
      const check = async () => {
        for (const fault of await distrust(redis)) onError(fault);
      };
      if (redis.status === "ready") void check().catch(onError);
      else redis.once("ready", () => void check().catch(onError));
    },
    stop: async (timeoutMs) => {
      stopping = true;
      if (worker !== undefined) await stopWorker(worker, timeoutMs);
      await bounded(
        Promise.allSettled([queue.close(), conflicts.close()]),
        answerMs,
        "Redis does not answer.",
      ).catch(onError);
      client?.disconnect();
      redis.disconnect();
    },
    deadLetters: async () => {
      await ready();
      return (await queue.getFailed()).map((job) => ({
        id: job.id as string,
        event: job.name,
        body: job.data.body,
        attempts: Math.min(attemptsOf(job), MOST_ATTEMPTS),
        error: job.failedReason,
      }));
    },
    requeue: async (id) => {
      await ready();
      const job = await queue.getJob(id);
      if (!(await job?.isFailed()) || job === undefined) throw noDeadLetter(id);
      await job.updateData({ ...job.data, forgiven: job.stalledCounter });
      await job.retry("failed", { resetAttemptsMade: true, resetAttemptsStarted: true });
    },
  };
}
