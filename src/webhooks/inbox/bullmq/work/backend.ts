import {
  type BackendFactory,
  createRedisBackend,
  type IRedisClient,
  type IRedisTransaction,
  type RedisQueueBackend,
} from "bullmq";
import { batchCommand, batchReplies, type Call } from "../shards/batch.ts";
import type { JobData } from "../shards/job-data.ts";
import { type RedisClient, runCommand, scriptArguments } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";
import { isScriptMissing } from "../shards/transaction.ts";

/** An event that was kept, and that this process takes now. */
export interface KeptEvent {
  readonly kind: string;
  readonly id: string;
}

type Execute = RedisQueueBackend["execCommand"];

/** Where the end of a job has what, after its keys. */
const FETCH_NEXT = 5;
const JOB_ID = 0;
const FINISHED_ON = 1;

/** What the worker gives for a job that nothing is to be left of. */
export const FORGOTTEN = "forgotten";

/** Instead of a client: gives the name of a command, with its version. */
const NAMES = { runCommand: (name: string): unknown => name } as unknown as IRedisClient;

/** The end of a processed job, for which the worker waits. */
interface Ending {
  readonly call: Call;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * BullMQ's backend, with two additions. Processed jobs that end together are ended in one script, which
 * leaves only their digests. And what was kept for this process is taken in the transaction that fetches
 * a job, so that no other process gets it in between.
 */
export class WorkerBackend {
  readonly #redis: RedisClient;
  readonly #shard: Shard;
  readonly #retentionMs: number;
  readonly #nextKept: () => KeptEvent | undefined;
  #execute: Execute = () => {};
  /** How many keys the end of a job has. */
  #keys = 0;
  #endings: Ending[] = [];
  /** By the arguments of their ends: the digests of processed jobs, empty for one to forget. */
  readonly #digests = new WeakMap<object, string>();

  /** @param nextKept - Gives the kept event to take next, before all that wait. */
  constructor(
    redis: RedisClient,
    shard: Shard,
    retentionMs: number,
    nextKept: () => KeptEvent | undefined,
  ) {
    this.#redis = redis;
    this.#shard = shard;
    this.#retentionMs = Math.ceil(retentionMs);
    this.#nextKept = nextKept;
  }

  /** Ends the wait for a job, so that the worker fetches. */
  wake: () => void = () => {};

  readonly factory: BackendFactory<RedisQueueBackend> = (...args) => {
    const backend = createRedisBackend(...args);
    this.#execute = backend.execCommand.bind(backend);
    this.#keys = backend.moveToFinishedKeys.length;
    backend.execCommand = (client, name, values) => this.#run(client as IRedisClient, name, values);
    this.#rememberProcessed(backend);
    this.#interruptWaits(backend);
    return backend;
  };

  /** A processed job leaves its digest, and nothing else. */
  #rememberProcessed(backend: RedisQueueBackend): void {
    // BullMQ keeps the job, and our script takes it away. Where BullMQ ends it without our script, it
    // stays, and is found by the next search for processed jobs.
    backend.moveToCompleted = async (job, value, keep, token, fetchNext) => {
      const text = JSON.stringify(value);
      const args = backend.moveToCompletedArgs(job, text as typeof value, keep, token, fetchNext);
      const { digest = "" } = job.data as Partial<JobData>;
      this.#digests.set(args, value === FORGOTTEN ? "" : digest);
      const result = await backend.moveToFinished(job.id as string, args);
      return { result, finishedOn: args[this.#keys + FINISHED_ON] as number };
    };
  }

  #run(client: IRedisClient, name: string, args: unknown[]): unknown {
    const isFetch =
      name === "moveToActive" || (name === "moveToFinished" && args[this.#keys + FETCH_NEXT] === 1);
    const kept = isFetch ? this.#nextKept() : undefined;
    if (kept !== undefined) return this.#takeAndRun(client, kept, name, args);
    const digest = this.#digests.get(args);
    return digest === undefined ? this.#execute(client, name, args) : this.#end(args, digest);
  }

  /** Ends a processed job with all others of this turn of the event loop. */
  #end(args: readonly unknown[], digest: string): Promise<unknown> {
    const call = this.#callOf(args, digest);
    return new Promise((resolve, reject) => {
      this.#endings.push({ call, resolve, reject });
      if (this.#endings.length === 1) setImmediate(() => void this.#endAll());
    });
  }

  #callOf(args: readonly unknown[], digest: string): Call {
    const id = args[this.#keys + JOB_ID] as string;
    return [...args, this.#retentionMs, id, this.#shard.key(id), digest];
  }

  #batchOf(calls: readonly Call[]) {
    const command = this.#execute(NAMES, "moveToFinished", []) as string;
    return batchCommand(this.#redis, {
      command,
      kind: "finish",
      calls,
      keys: [this.#shard.countsKey, this.#shard.key("completed")],
    });
  }

  async #endAll(): Promise<void> {
    const endings = this.#endings;
    this.#endings = [];
    try {
      const { name, args } = this.#batchOf(endings.map(({ call }) => call));
      const replies = batchReplies(await runCommand(this.#redis, name, args), endings.length);
      for (const [at, { resolve, reject }] of endings.entries()) {
        const reply = replies[at];
        if (reply instanceof Error) reject(reply);
        else resolve(reply);
      }
    } catch (error) {
      for (const { reject } of endings) reject(error);
    }
  }

  /** Puts a kept event where BullMQ takes the next one from, and lets it. */
  async #takeAndRun(client: IRedisClient, kept: KeptEvent, name: string, args: unknown[]) {
    const { kind, id } = kept;
    const names = ["delayed", "wait", "paused", "meta", "prioritized", "active", "pc", "events"];
    const keys = [...names, "marker"].map((part) => this.#shard.key(part));
    const promotion = [...keys, this.#shard.key(""), id];
    const taken = scriptArguments(
      [this.#shard.keptKey(kind), this.#shard.key("wait"), `${this.#shard.key(id)}:lock`],
      [id],
    );
    const digest = this.#digests.get(args);
    const batch = digest === undefined ? undefined : this.#batchOf([this.#callOf(args, digest)]);
    const run = (runner: IRedisClient | IRedisTransaction) =>
      batch === undefined
        ? this.#execute(runner, name, args)
        : runner.runCommand(batch.name, [...batch.args]);
    const transaction = client.multi();
    this.#execute(transaction, "promote", promotion);
    transaction.runCommand("malipoTakeKept", taken);
    run(transaction);
    const replies = (await transaction.exec()) ?? [];
    let [error, reply] = replies[2] ?? [new Error("Redis returned no reply.")];
    if (replies.some(([failure]) => isScriptMissing(failure))) {
      // Outside of a transaction, the client sends a script that Redis does not know.
      await this.#execute(client, "promote", promotion);
      await client.runCommand("malipoTakeKept", taken);
      if (isScriptMissing(error)) [error, reply] = [null, await run(client)];
    }
    if (error !== null) throw error;
    if (batch === undefined) return reply;
    const [result] = batchReplies(reply, 1);
    if (result instanceof Error) throw result;
    return result;
  }

  /** Makes the wait for a job one that `wake` ends; what the wait finds after that is not lost. */
  #interruptWaits(backend: RedisQueueBackend): void {
    const waitForJob = backend.waitForJob.bind(backend);
    let waiting: ReturnType<typeof waitForJob> | undefined;
    backend.waitForJob = async (timeout) => {
      waiting ??= waitForJob(timeout);
      const woken = new Promise<"woken">((resolve) => {
        this.wake = () => resolve("woken");
      });
      // A wait that nobody looks at any more may fail.
      waiting.catch(() => {});
      try {
        const result = await Promise.race([waiting, woken]);
        if (result === "woken") return null;
        waiting = undefined;
        return result;
      } catch (error) {
        waiting = undefined;
        throw error;
      }
    };
  }
}
