/**
 * Idempotency keys in Redis.
 *
 * @module malipo/idempotency/redis
 */

import type { Redis } from "ioredis";
import { digestOf } from "../digest.ts";
import { notResolvedFrom, type StoredRecord, standingOf } from "../record.ts";
import {
  checkRetention,
  type IdempotencyStore,
  RECORD_VERSION,
  STANDARD_RETENTION_MS,
} from "../store.ts";

// All operations, so that each is one step for Redis. Leases are on its clock, which all processes
// share. What is not succeeded has no expiry: an unknown attempt waits for somebody to look.
const SCRIPT = `
  local key, operation, owner = KEYS[1], ARGV[1], ARGV[2]
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)

  local version, state, stored_owner, lease = unpack(
    redis.call('HMGET', key, 'version', 'state', 'owner', 'lease'))
  local over = state == 'in_flight' and tonumber(lease) <= now
  local function standing()
    local f = redis.call('HMGET', key, 'version', 'state', 'digest', 'owner', 'result')
    return { f[1], f[2], f[3], f[4], f[5], over and 1 or 0 }
  end
  local function succeed(result, retention)
    redis.call('HSET', key, 'state', 'succeeded', 'result', result)
    redis.call('PEXPIRE', key, retention)
  end

  if operation == 'begin' then
    -- A client that lost its connection asks again: what it began is its own.
    if state == 'in_flight' and stored_owner == owner then return {} end
    if version then return standing() end
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
    local stood = standing()
    if (state == 'unknown' or over) and tonumber(stood[1]) <= tonumber(ARGV[6])
      and (owner == '' or owner == stored_owner) then
      if ARGV[3] == 'free' then
        redis.call('DEL', key)
      else
        -- Without an owner: one that wakes up late must not undo it.
        redis.call('HSET', key, 'owner', '')
        succeed(ARGV[4], ARGV[5])
      end
      return { 'resolved' }
    end
    return stood
  end
  return {}
`;

/** A record as the script gives it. */
type RecordReply = [
  version: string,
  state: string,
  digest: string,
  owner: string,
  result: string | null,
  over: number,
];
/** What the script gives: a record, nothing where none stands, or word that it was resolved. */
type Reply = RecordReply | [] | ["resolved"];

function recordOf(reply: Reply): StoredRecord | undefined {
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

/**
 * Remembers idempotency keys in Redis: one key makes at most one prompt across all machines that
 * share it, and across crashes of theirs.
 *
 * The promise is as good as the Redis: give it `appendonly yes` with `appendfsync always`, and a
 * `maxmemory-policy` of `noeviction`. A Redis that forgets what it acknowledged, by a crash, a
 * failover or an eviction, forgets a key.
 *
 * @param redis - An ioredis client. It stays yours to close.
 * @param options - `prefix` of the keys in Redis (default `malipo:idempotency:`); `retentionMs`: how
 * long a result is remembered (default 30 days).
 * @throws {ConfigurationError} for a retention that is none.
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
  {
    prefix = "malipo:idempotency:",
    retentionMs = STANDARD_RETENTION_MS,
  }: { prefix?: string | undefined; retentionMs?: number | undefined } = {},
): IdempotencyStore {
  checkRetention(retentionMs);
  const run = async (key: string, ...args: (string | number)[]): Promise<Reply> =>
    (await redis.eval(SCRIPT, 1, prefix + key, ...args)) as Reply;

  return {
    begin: async (key, { parameters, owner, leaseMs }) => {
      const digest = digestOf(parameters);
      const record = recordOf(await run(key, "begin", owner, RECORD_VERSION, digest, leaseMs));
      return record === undefined ? { state: "begun" } : standingOf(record, digest);
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
      return reply[0] === "resolved" ? "unknown" : notResolvedFrom(recordOf(reply));
    },
  };
}
