import {
  type BackendFactory,
  createRedisBackend,
  type IRedisClient,
  type RedisQueueBackend,
} from "bullmq";
import { scriptArguments } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";

/** An event that was kept, and that this process takes now. */
export interface KeptEvent {
  readonly kind: string;
  readonly id: string;
}

type Execute = RedisQueueBackend["execCommand"];

/** Where BullMQ's end of a job says whether to fetch the next one, after its keys. */
const FETCH_NEXT = 5;

/**
 * BullMQ's backend, with an addition: what was kept for this process is taken in the transaction that
 * fetches a job, so that no other process gets it in between.
 */
export class WorkerBackend {
  readonly #shard: Shard;
  readonly #nextKept: () => KeptEvent | undefined;
  #execute: Execute = () => {};
  #fetchNext = 0;

  /** @param nextKept - Gives the kept event to take next, before all that wait. */
  constructor(shard: Shard, nextKept: () => KeptEvent | undefined) {
    this.#shard = shard;
    this.#nextKept = nextKept;
  }

  /** Ends the wait for a job, so that the worker fetches. */
  wake: () => void = () => {};

  readonly factory: BackendFactory<RedisQueueBackend> = (...args) => {
    const backend = createRedisBackend(...args);
    this.#execute = backend.execCommand.bind(backend);
    this.#fetchNext = backend.moveToFinishedKeys.length + FETCH_NEXT;
    backend.execCommand = (client, name, values) => this.#run(client as IRedisClient, name, values);
    this.#interruptWaits(backend);
    return backend;
  };

  #run(client: IRedisClient, name: string, args: unknown[]): unknown {
    const isFetch =
      name === "moveToActive" || (name === "moveToFinished" && args[this.#fetchNext] === 1);
    const kept = isFetch ? this.#nextKept() : undefined;
    if (kept === undefined) return this.#execute(client, name, args);
    return this.#takeAndRun(client, kept, name, args);
  }

  /** Puts a kept event where BullMQ takes the next one from, and lets it. */
  async #takeAndRun(client: IRedisClient, kept: KeptEvent, name: string, args: unknown[]) {
    const { kind, id } = kept;
    const names = ["delayed", "wait", "paused", "meta", "prioritized", "active", "pc", "events"];
    const keys = [...names, "marker"].map((part) => this.#shard.key(part));
    const transaction = client.multi();
    this.#execute(transaction, "promote", [...keys, this.#shard.key(""), id]);
    const taken = scriptArguments([this.#shard.keptKey(kind), this.#shard.key("wait")], [id]);
    transaction.runCommand("malipoTakeKept", taken);
    this.#execute(transaction, name, args);
    const replies = (await transaction.exec()) ?? [];
    const [error, reply] = replies[2] ?? [new Error("Redis returned no reply.")];
    if (error === null) return reply;
    // Redis forgot the scripts: outside of a transaction, the client sends them again.
    if (error.message.includes("NOSCRIPT")) return this.#execute(client, name, args);
    throw error;
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
