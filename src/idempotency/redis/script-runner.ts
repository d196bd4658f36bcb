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

type Run = (...args: readonly (string | number)[]) => Promise<Reply>;

export interface ScriptRunner {
  readonly run: Run;
  /** As `run`, and rejects if too few replicas have what the script wrote. */
  readonly runConfirmed: Run;
}

/** @throws {ConfigurationError} for a reply about keys in another format. */
function inOurFormat(reply: unknown): Reply {
  const [what, format] = reply as Reply;
  if (what !== "format") return reply as Reply;
  throw new ConfigurationError(
    `redisIdempotency cannot use this Redis: ${unknownFormat(String(format), "another `prefix`")}`,
  );
}

/** Runs the script on one Redis or on a node of a cluster. */
export function scriptRunner(client: RedisClient, prefix: string, replicas: number): ScriptRunner {
  // A cluster has the same commands, and finds the node by the keys.
  const redis = client as Redis;
  const keys = KEY_NAMES.map((name) => prefix + name);
  let isLeaving = false;

  /** A Redis that became a replica keeps its connections, so the client would stay with it. */
  const leaveReplica = (error: unknown) => {
    if (!isReadOnly(error) || isLeaving || redis.status !== "ready") return;
    isLeaving = true;
    redis.once("close", () => {
      isLeaving = false;
    });
    redis.disconnect(true);
  };
  const run: Run = async (...args) => {
    try {
      return inOurFormat(await redis.eval(SCRIPT, keys.length, ...keys, ...args));
    } catch (error) {
      leaveReplica(error);
      throw error;
    }
  };
  const runConfirmed: Run = async (...args) => {
    if (replicas === 0) return run(...args);
    // In one pipeline: WAIT waits for what its own connection has written.
    const pipeline = redis.pipeline().eval(SCRIPT, keys.length, ...keys, ...args);
    const [script, wait] = (await pipeline.wait(replicas, MAX_REPLICATION_MS).exec()) ?? [];
    for (const reply of [script, wait]) {
      const error = reply === undefined ? new Error("Redis returned no reply.") : reply[0];
      if (error === null) continue;
      leaveReplica(error);
      throw error;
    }
    checkReplicas(wait?.[1], replicas, "an attempt");
    return inOurFormat(script?.[1]);
  };
  return { run, runConfirmed };
}
