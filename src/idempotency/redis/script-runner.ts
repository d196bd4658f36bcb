import type { Redis } from "ioredis";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { RedisClient } from "../../internal/redis/durability.ts";
import { checkReplicas, isReadOnly, MAX_REPLICATION_MS } from "../../internal/redis/replication.ts";
import { unknownFormat } from "../format.ts";
import { SCRIPT } from "./script.ts";

/** What the script returns: a record's fields, nothing if there is no record, or what it did. */
export type Reply = readonly unknown[];

/** What follows the prefix in the names of the keys, in the order in which the script takes them. */
const KEY_NAMES = ["attempt:", "index", "expiry", "reference:", "references", "open", "format"];

/** @throws {ConfigurationError} for a reply about keys in another format. */
function inOurFormat(reply: unknown): Reply {
  const [what, format] = reply as Reply;
  if (what !== "format") return reply as Reply;
  throw new ConfigurationError(
    `redisIdempotency cannot use this Redis: ${unknownFormat(String(format), "another `prefix`")}`,
  );
}

/** Runs the script on one Redis or on a node of a cluster. */
export class ScriptRunner {
  readonly #redis: Redis;
  readonly #keys: readonly string[];
  readonly #replicas: number;
  #isLeaving = false;

  constructor(client: RedisClient, prefix: string, replicas: number) {
    // A cluster has the same commands, and finds the node by the keys.
    this.#redis = client as Redis;
    this.#keys = KEY_NAMES.map((name) => prefix + name);
    this.#replicas = replicas;
  }

  async run(...args: readonly (string | number)[]): Promise<Reply> {
    try {
      return inOurFormat(await this.#redis.eval(SCRIPT, this.#keys.length, ...this.#keys, ...args));
    } catch (error) {
      this.#leaveReplica(error);
      throw error;
    }
  }

  /** As `run`, and rejects if too few replicas have what the script wrote. */
  async runConfirmed(...args: readonly (string | number)[]): Promise<Reply> {
    if (this.#replicas === 0) return this.run(...args);
    // In one pipeline: WAIT waits for what its own connection has written.
    const replies = await this.#redis
      .pipeline()
      .eval(SCRIPT, this.#keys.length, ...this.#keys, ...args)
      .wait(this.#replicas, MAX_REPLICATION_MS)
      .exec();
    const [script, wait] = replies ?? [];
    for (const reply of [script, wait]) {
      const error = reply === undefined ? new Error("Redis returned no reply.") : reply[0];
      if (error === null) continue;
      this.#leaveReplica(error);
      throw error;
    }
    checkReplicas(wait?.[1], this.#replicas, "an attempt");
    return inOurFormat(script?.[1]);
  }

  /** A Redis that became a replica keeps its connections, so the client would stay with it. */
  #leaveReplica(error: unknown): void {
    if (!isReadOnly(error) || this.#isLeaving || this.#redis.status !== "ready") return;
    this.#isLeaving = true;
    this.#redis.once("close", () => {
      this.#isLeaving = false;
    });
    this.#redis.disconnect(true);
  }
}
