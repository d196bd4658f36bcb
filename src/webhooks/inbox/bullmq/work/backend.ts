import {
  type BackendFactory,
  createRedisBackend,
  type IRedisClient,
  type RedisQueueBackend,
} from "bullmq";
import { scriptArguments } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";
import { type BatchCommand, CommandBatch, type Processed } from "./batch.ts";

/** An event that was kept, and that this process takes now. */
export interface KeptEvent {
  readonly kind: string;
  readonly id: string;
}

/** What a worker's backend asks the worker. */
export interface BackendQuestions {
  /** The digest to remember of a processed event; nothing where it is to be forgotten. */
  digestOf(id: string): string | undefined;
  /** The kept event to take next, before all that wait. */
  nextKept(): KeptEvent | undefined;
}

type Execute = RedisQueueBackend["execCommand"];

/** Where BullMQ's command has its arguments, after its keys. */
const JOB_ID = 0;
const TARGET = 4;
const FETCH_NEXT = 5;

/**
 * BullMQ's backend, with two additions. A processed event is remembered in the transaction that removes
 * its job: at every moment there is one of them. And what was kept for this process is taken in the
 * transaction that fetches a job: no other process gets it in between.
 */
export class WorkerBackend {
  readonly #shard: Shard;
  readonly #retentionMs: number;
  readonly #questions: BackendQuestions;
  #execute: Execute = () => {};
  readonly #batch = new CommandBatch(
    (client, name, args) => this.#execute(client, name, args),
    (processed) => this.#remember(processed),
  );
  #keys = 0;

  constructor(shard: Shard, retentionMs: number, questions: BackendQuestions) {
    this.#shard = shard;
    this.#retentionMs = retentionMs;
    this.#questions = questions;
  }

  /** Ends the wait for a job, so that the worker fetches. */
  wake: () => void = () => {};

  readonly factory: BackendFactory<RedisQueueBackend> = (...args) => {
    const backend = createRedisBackend(...args);
    this.#execute = backend.execCommand.bind(backend);
    this.#keys = backend.moveToFinishedKeys.length;
    backend.execCommand = (client, name, values) => this.#run(client as IRedisClient, name, values);
    this.#interruptWaits(backend);
    return backend;
  };

  #run(client: IRedisClient, name: string, args: unknown[]): unknown {
    const value = (at: number) => args[this.#keys + at];
    const isEnd = name === "moveToFinished";
    const isFetch = name === "moveToActive" || (isEnd && value(FETCH_NEXT) === 1);
    const kept = isFetch ? this.#questions.nextKept() : undefined;
    const id = isEnd && value(TARGET) === "completed" ? String(value(JOB_ID)) : "";
    const digest = id === "" ? undefined : this.#questions.digestOf(id);
    if (kept === undefined && digest === undefined) return this.#execute(client, name, args);
    const before = kept === undefined ? [] : this.#take(kept);
    const processed = digest === undefined ? undefined : { key: this.#shard.key(id), digest };
    return this.#batch.add(client, { before, command: { name, args }, processed });
  }

  /** Puts a kept event where BullMQ takes the next one from. */
  #take({ kind, id }: KeptEvent): BatchCommand[] {
    const names = ["delayed", "wait", "paused", "meta", "prioritized", "active", "pc", "events"];
    const keys = [...names, "marker"].map((name) => this.#shard.key(name));
    const taken = scriptArguments([this.#shard.keptKey(kind), this.#shard.key("wait")], [id]);
    return [
      { name: "promote", args: [...keys, this.#shard.key(""), id] },
      { script: "malipoTakeKept", args: taken },
    ];
  }

  /** One command for all: it costs less than one each. */
  #remember(processed: readonly Processed[]): BatchCommand {
    const keys = [this.#shard.countsKey, ...processed.map(({ key }) => key)];
    const args = [this.#retentionMs, ...processed.map(({ digest }) => digest)];
    return { script: "malipoRemember", args: scriptArguments(keys, args) };
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
