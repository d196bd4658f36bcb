import type { Redis } from "ioredis";
import { ConfigurationError } from "../../errors/configuration.ts";
import {
  checkOptions,
  checkWholeNumber,
  type OptionRows,
  wrongOption,
} from "../../internal/check-options.ts";
import type { Position } from "../../internal/page-cursor.ts";
import { durabilityProblems, type RedisClient } from "../../internal/redis/durability.ts";
import { checkReplicas, isReadOnly, MAX_REPLICATION_MS } from "../../internal/redis/replication.ts";
import { warnOnce } from "../../internal/warn-once.ts";
import { explained } from "../../storage/redis/redis-errors.ts";
import { attemptColumns, COLUMNS, digestColumns } from "../columns.ts";
import { createDigest } from "../digest.ts";
import { scopedKey, unknownFormat } from "../format.ts";
import type { IdempotencyStore } from "../idempotency-store.ts";
import { checkRecord, type RawRecord } from "../record.ts";
import {
  type CheckedQuery,
  type ListedRecord,
  type Records,
  recordStore,
} from "../record-store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../store-options.ts";
import { SCRIPT } from "./script.ts";

/** How idempotency keys are remembered in Redis. */
export interface RedisIdempotencyOptions extends IdempotencyStoreOptions {
  /**
   * The prefix of the keys in Redis. Set it if two applications share a Redis. The store puts it
   * into braces, a hash tag, so that a Redis Cluster keeps all its keys on one node; a prefix that has
   * a hash tag is used unchanged.
   *
   * @default "{malipo:idempotency}:"
   */
  prefix?: string | undefined;
  /**
   * How many replicas must have an attempt before anything is sent. Set it if a replica may take
   * over from the Redis: with 1, an attempt survives the loss of the Redis if the replica that has it
   * takes over. While fewer are connected, calls are rejected and nothing is sent.
   *
   * @default 0
   */
  replicas?: number | undefined;
  /**
   * Gets one warning, at the first attempt, if the Redis may forget a key: without an append-only
   * file, with an eviction policy, or with replicas that are not waited for. Set it to send the warning
   * to your log.
   *
   * @default `console.warn`
   */
  onWarning?: ((warning: string) => void) | undefined;
}

/** How many keys one run of the script looks at: it stops the Redis while it runs. */
const KEYS_PER_LOOK = 1_000;

/** What the script returns: a record's fields, nothing if there is no record, or what it did. */
type Reply = readonly unknown[];

/** What follows the prefix in the names of the keys, in the order in which the script takes them. */
const KEY_NAMES = ["attempt:", "index", "expiry", "reference:", "references", "open", "format"];

type Run = (...args: readonly (string | number)[]) => Promise<Reply>;

interface ScriptRunner {
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
function scriptRunner(client: RedisClient, prefix: string, replicas: number): ScriptRunner {
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
      throw explained(error);
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
      throw explained(error);
    }
    checkReplicas(wait?.[1], replicas, "an attempt");
    return inOurFormat(script?.[1]);
  };
  return { run, runConfirmed };
}

const rawRecord = (values: Reply): RawRecord =>
  Object.fromEntries([...COLUMNS, "elapsed_ms"].map((name, at) => [name, values[at]]));

/** @throws {ConfigurationError} for a prefix that is not a text. */
function withHashTag(prefix: unknown): string {
  if (typeof prefix !== "string" || prefix === "") {
    throw wrongOption("prefix", "a non-empty string", prefix);
  }
  return /^[^{]*\{[^}]+\}/.test(prefix) ? prefix : `{${prefix}}`;
}

const OPTIONS = {
  prefix: (prefix = "{malipo:idempotency}:") => withHashTag(prefix),
  replicas: (count = 0) => checkWholeNumber("replicas", count, 0),
  onWarning: warnOnce,
  ...STORE_OPTIONS,
} satisfies OptionRows<RedisIdempotencyOptions>;

/** The positions and records of one look at the index. */
type ListReply = readonly [
  rows: readonly (readonly [key: string, record: Reply])[],
  last: readonly [score: string, key: string] | readonly [],
];

/** Redis knows no `null`. */
const argumentsOf = (columns: Readonly<Record<string, string | number | null>>) =>
  Object.values(columns).map((value) => value ?? "");

/** Reads the index until there are enough records, or no more keys. */
async function listRecords(
  script: ScriptRunner,
  operation: string,
  scope: string,
  { state, digests, after, limit }: CheckedQuery,
): Promise<ListedRecord[]> {
  const records: ListedRecord[] = [];
  let from: Position | undefined = after ?? { at: 0, id: "" };
  while (from !== undefined && records.length <= limit) {
    const count = limit + 1 - records.length;
    const [found, last] = (await script.run(
      ...[operation, from.at, from.id, state ?? "", scope, count, KEYS_PER_LOOK],
      ...argumentsOf(digestColumns(digests)),
    )) as unknown as ListReply;
    for (const [key, reply] of found) records.push([key, checkRecord(key, rawRecord(reply))]);
    const [score, key] = last;
    from = key === undefined ? undefined : { at: Number(score), id: key };
  }
  return records;
}

/**
 * Remembers idempotency keys in Redis: one key makes at most one prompt across all machines that
 * share the Redis, and across their crashes.
 *
 * Set up the Redis with `appendonly yes`, `appendfsync always` and a `maxmemory-policy` of
 * `noeviction`, and with `replicas` if a replica may take over. A Redis that loses what it
 * acknowledged, in a crash, a failover or an eviction, loses keys; the first attempt warns if it is
 * set up so that it would. Leases are measured by its clock: a clock that jumps forward ends them
 * early.
 *
 * It works with a Redis Cluster and behind Sentinel. A Redis that became a replica rejects, nothing is
 * sent, and the client connects again. Also give the client
 * `reconnectOnError: (error) => error.message.includes("READONLY")` if you use it for other
 * commands.
 *
 * @param redis - An ioredis `Redis` or `Cluster`. You close it yourself.
 * @throws {ConfigurationError} for a wrong option.
 */
export function redisIdempotency(
  redis: RedisClient,
  options: RedisIdempotencyOptions = {},
): IdempotencyStore {
  const own = checkOptions(options, OPTIONS, "redisIdempotency");
  const { retentionMs, scope, pepper, prefix, replicas, onWarning: warn } = own;
  const script = scriptRunner(redis, prefix, replicas);
  let isChecked = false;
  const checkDurability = async () => {
    if (isChecked) return;
    isChecked = true;
    const problems = await durabilityProblems(redis, replicas, "redis");
    if (problems.length > 0) {
      warn(
        `One key may make two prompts with this Redis, which holds the idempotency keys. ${problems.join(" ")}`,
      );
    }
  };

  const recordIn = (key: string, reply: Reply) =>
    reply.length === 0 ? undefined : checkRecord(key, rawRecord(reply));

  const callOf = (name: string, key: string) => [name, scopedKey(scope, key)];

  const records: Records = {
    begin: async (key, record) => {
      // A Redis that does not let itself be looked at is not reported.
      checkDurability().catch(() => {});
      const reply = await script.runConfirmed(
        ...callOf("begin", key),
        ...argumentsOf(attemptColumns(record)),
      );
      return reply[0] === "begun" ? "begun" : checkRecord(key, rawRecord(reply));
    },
    read: async (key) => recordIn(key, await script.run(...callOf("read", key))),
    finish: async (key, owner, end) => {
      const result = end.state === "succeeded" ? end.result : "";
      await script.run(...callOf("finish", key), owner, end.state, result, retentionMs);
    },
    forget: async (key, owner) => {
      await script.run(...callOf("forget", key), owner);
    },
    resolve: async (key, { result, owner = "" }) => {
      const how = result === undefined ? "free" : "done";
      const end = [how, result ?? "", retentionMs];
      const reply = await script.run(...callOf("resolve", key), owner, scope, ...end);
      if (reply[0] === "resolved") return "resolved";
      return recordIn(key, reply);
    },
    list: (query) => listRecords(script, "list", scope, query),
  };
  return recordStore(records, createDigest(pepper), scope);
}
