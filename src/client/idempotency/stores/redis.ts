/**
 * Idempotency keys in Redis.
 *
 * @module malipo/idempotency/redis
 */

import type { Redis } from "ioredis";
import { checkOptionNames } from "../../../internal/check-options.ts";
import { digestOf } from "../digest.ts";
import { beginResult, type StoredRecord, unresolvedResult } from "../record.ts";
import {
  checkRetention,
  DEFAULT_RETENTION_MS,
  type IdempotencyStore,
  RECORD_VERSION,
} from "../store.ts";

// A script, so that each operation is atomic in Redis. Leases are on its clock, which all processes
// share. Only a succeeded record expires: an unknown one stays until it is resolved.
const SCRIPT = `
  local key, operation, owner = KEYS[1], ARGV[1], ARGV[2]
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)

  local version, state, stored_owner, lease = unpack(
    redis.call('HMGET', key, 'version', 'state', 'owner', 'lease'))
  local over = state == 'in_flight' and tonumber(lease) <= now
  local function record()
    local f = redis.call('HMGET', key, 'version', 'state', 'digest', 'owner', 'result')
    return { f[1], f[2], f[3], f[4], f[5], over and 1 or 0 }
  end
  local function succeed(result, retention)
    redis.call('HSET', key, 'state', 'succeeded', 'result', result)
    redis.call('PEXPIRE', key, retention)
  end

  if operation == 'begin' then
    -- ioredis sends a command again after it lost its connection: the record is this attempt's own.
    if state == 'in_flight' and stored_owner == owner then return {} end
    if version then return record() end
    redis.call('HSET', key, 'version', ARGV[3], 'state', 'in_flight', 'digest', ARGV[4],
      'owner', owner, 'lease', string.format('%.0f', now + ARGV[5]))
    return {}
  elseif operation == 'finish' then
    if stored_owner ~= owner then return {} end
    if ARGV[3] == 'succeeded' then
      succeed(ARGV[4], ARGV[5])
    else
      redis.call('HSET', key, 'state', 'unknown')
      redis.call('PERSIST', key)
    end
  elseif operation == 'forget' then
    if stored_owner == owner then redis.call('DEL', key) end
  elseif operation == 'resolve' then
    if not version then return {} end
    local found = record()
    if (state == 'unknown' or over) and tonumber(found[1]) <= tonumber(ARGV[6])
      and (owner == '' or owner == stored_owner) then
      if ARGV[3] == 'free' then
        redis.call('DEL', key)
      else
        -- Without an owner, so that the old owner cannot finish or forget it later.
        redis.call('HSET', key, 'owner', '')
        succeed(ARGV[4], ARGV[5])
      end
      return { 'resolved' }
    end
    return found
  end
  return {}
`;

/** A record as the script returns it. */
type RecordReply = [
  version: string,
  state: string,
  digest: string,
  owner: string,
  result: string | null,
  over: number,
];
/** What the script returns: a record, nothing where there is no record, or that it was resolved. */
type Reply = RecordReply | [] | ["resolved"];

function parseRecord(reply: Reply): StoredRecord | undefined {
  if (reply.length < 2) return undefined;
  const [version, state, digest, owner, result, over] = reply as RecordReply;
  return {
    version: Number(version),
    state: state as StoredRecord["state"],
    digest,
    owner,
    result,
    leaseOver: over === 1,
  };
}

/** How idempotency keys are remembered in Redis. */
export interface RedisIdempotencyOptions {
  /**
   * The prefix of the keys in Redis. Set it where two applications share a Redis.
   *
   * @default "malipo:idempotency:"
   */
  prefix?: string | undefined;
  /**
   * How long a result is remembered, in milliseconds. Raise it where an order may be paid again with
   * its old key after more than a month. Attempts of unknown outcome are kept until they are resolved.
   *
   * @default 30 days
   */
  retentionMs?: number | undefined;
}

/**
 * Remembers idempotency keys in Redis: one key makes at most one prompt across all machines that
 * share the Redis, and across their crashes.
 *
 * Set up the Redis with `appendonly yes`, `appendfsync always` and a `maxmemory-policy` of
 * `noeviction`. A Redis that loses what it acknowledged, in a crash, a failover or an eviction, loses
 * keys.
 *
 * @param redis - An ioredis client. You close it yourself.
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * import { Redis } from "ioredis";
 * import { Gateway } from "malipo";
 * import { redisIdempotency } from "malipo/idempotency/redis";
 *
 * const gateway = new Gateway({ idempotency: redisIdempotency(new Redis()) });
 * ```
 */
export function redisIdempotency(
  redis: Redis,
  options: RedisIdempotencyOptions = {},
): IdempotencyStore {
  checkOptionNames(options, ["prefix", "retentionMs"], "redisIdempotency");
  const { prefix = "malipo:idempotency:", retentionMs = DEFAULT_RETENTION_MS } = options;
  checkRetention(retentionMs);
  const run = async (key: string, ...args: (string | number)[]): Promise<Reply> =>
    (await redis.eval(SCRIPT, 1, prefix + key, ...args)) as Reply;

  return {
    begin: async (key, { parameters, owner, leaseMs }) => {
      const digest = digestOf(parameters);
      const record = parseRecord(await run(key, "begin", owner, RECORD_VERSION, digest, leaseMs));
      return record === undefined ? { state: "begun" } : beginResult(record, digest);
    },
    finish: async (key, owner, end) => {
      const result = end.state === "succeeded" ? end.result : "";
      await run(key, "finish", owner, end.state, result, retentionMs);
    },
    forget: async (key, owner) => {
      await run(key, "forget", owner);
    },
    resolve: async (key, result, owner = "") => {
      const how = result === undefined ? "free" : "done";
      const reply = await run(
        key,
        "resolve",
        owner,
        how,
        result ?? "",
        retentionMs,
        RECORD_VERSION,
      );
      return reply[0] === "resolved" ? "unknown" : unresolvedResult(parseRecord(reply));
    },
  };
}
