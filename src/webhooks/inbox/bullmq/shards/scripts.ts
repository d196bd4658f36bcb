import type { Redis } from "ioredis";

/**
 * A Redis, a Redis behind Sentinel, or a Redis Cluster: that one has the same commands, and finds the
 * node by the keys.
 */
export type RedisClient = Redis;

/**
 * Lua: what is left of an event that a person or a handler is done with, in the place of its job, so
 * that BullMQ does not add the event again. A hash, because BullMQ reads job keys as hashes; half of the
 * digest, 128 bits, tells any two deliveries apart. The counts are by the moment when the events of a
 * hundredth of the retention are forgotten.
 */
export const REMEMBER = `
local function remember(key, digest, ttl)
  redis.call("HSET", key, "digest", string.sub(digest, -32))
  redis.call("PEXPIRE", key, ttl)
end
local function count(counts, number, ttl)
  if number == 0 then return end
  local time = redis.call("TIME")
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local width = math.max(1, math.floor(ttl / 100))
  local ending = (math.floor(now / width) + 1) * width + ttl
  redis.call("HINCRBY", counts, string.format("%.0f", ending), number)
end
local function digestIn(data)
  return string.match(data or "", '"digest":"(%x+)"')
end
`;

/** Lua: what is known of an event: nothing, the data of its job, or the digest that is remembered. */
export const KNOWN = `
local function known(key)
  if redis.call("EXISTS", key) == 0 then return false end
  local found = redis.call("HMGET", key, "digest", "data")
  return found[1] or found[2] or ""
end
`;

/** Our own scripts, for what BullMQ has no command. The keys of a call are in one queue. */
const SCRIPTS = {
  /** KEYS: jobs. Of each: nothing, the data of the job, or the digest that is remembered. */
  malipoKnown: `${KNOWN}
local all = {}
for at, key in ipairs(KEYS) do all[at] = known(key) end
return all`,

  /**
   * KEYS: the job, the failed set. ARGV: id, name, data, options, receivedAt, reason, now. Returns what
   * was known before.
   */
  malipoAddDeadLetter: `${KNOWN}
local before = known(KEYS[1])
if before then return before end
redis.call("HSET", KEYS[1], "name", ARGV[2], "data", ARGV[3], "opts", ARGV[4], "timestamp", ARGV[5],
  "delay", 0, "priority", 0, "failedReason", ARGV[6], "finishedOn", ARGV[7])
redis.call("ZADD", KEYS[2], ARGV[7], ARGV[1])
return false`,

  /**
   * KEYS: the counts, the completed set. ARGV: the prefix of jobs, retention, how many. Leaves only the
   * digest of processed jobs, and nothing of forgotten ones. Returns how many it found.
   */
  malipoShrink: `${REMEMBER}
local number = 0
local ids = redis.call("ZRANGE", KEYS[2], 0, ARGV[3] - 1)
for _, id in ipairs(ids) do
  local key = ARGV[1] .. id
  local found = redis.call("HMGET", key, "data", "returnvalue")
  local digest = digestIn(found[1])
  redis.call("DEL", key, key .. ":logs")
  if digest and found[2] ~= '"forgotten"' then
    remember(key, digest, ARGV[2])
    number = number + 1
  end
end
if #ids > 0 then redis.call("ZREM", KEYS[2], unpack(ids)) end
count(KEYS[1], number, ARGV[2])
return #ids`,

  /** KEYS: the counts, the failed set, jobs. ARGV: retention, ids of the jobs. */
  malipoDropDeadLetters: `${REMEMBER}
local number = 0
for at = 3, #KEYS do
  if redis.call("ZREM", KEYS[2], ARGV[at - 1]) == 1 then
    local digest = digestIn(redis.call("HGET", KEYS[at], "data"))
    redis.call("DEL", KEYS[at], KEYS[at] .. ":logs")
    remember(KEYS[at], digest or "", ARGV[1])
    number = number + 1
  end
end
count(KEYS[1], number, ARGV[1])
return 0`,

  /** KEYS: the conflicts that wait, jobs. ARGV: retention, ids of the jobs. */
  malipoEndConflicts: `${REMEMBER}
for at = 2, #KEYS do
  if redis.call("LREM", KEYS[1], -1, ARGV[at]) > 0 then
    local digest = digestIn(redis.call("HGET", KEYS[at], "data"))
    redis.call("DEL", KEYS[at], KEYS[at] .. ":logs")
    remember(KEYS[at], digest or "", ARGV[1])
  end
end
return 0`,

  /** KEYS: the kept events of a kind, the kinds. ARGV: id, kind, until when it is kept. */
  malipoKeep: `
redis.call("ZADD", KEYS[1], ARGV[3], ARGV[1])
redis.call("SADD", KEYS[2], ARGV[2])
return 0`,

  /**
   * KEYS: the kept events of a kind, the waiting jobs, the lock of the job. ARGV: id. Right after BullMQ
   * promoted it, or found that it is not delayed: it is elsewhere, or just now being moved there.
   */
  malipoTakeKept: `
local isPromoted = redis.call("LINDEX", KEYS[2], 0) == ARGV[1]
if isPromoted then redis.call("LMOVE", KEYS[2], KEYS[2], "LEFT", "RIGHT") end
if isPromoted or redis.call("EXISTS", KEYS[3]) == 0 then redis.call("ZREM", KEYS[1], ARGV[1]) end
return 0`,

  /**
   * KEYS: the kinds of kept events, the delayed jobs. ARGV: the prefix of the kept events of a kind,
   * now, from when on a retry waits too long, how many to take of a kind, "all" or "some", the kinds
   * that are taken. Returns how many retries wait too long, how many events are kept for others, and
   * what to take.
   */
  malipoSurvey: `
local late = redis.call("ZCOUNT", KEYS[2], string.format("%.0f", ARGV[3] * 4096), "+inf")
local taken, others, take = {}, 0, {}
for at = 6, #ARGV do taken[ARGV[at]] = true end
for _, kind in ipairs(redis.call("SMEMBERS", KEYS[1])) do
  local kept = ARGV[1] .. kind
  redis.call("ZREMRANGEBYSCORE", kept, "-inf", ARGV[2] - 60000)
  local count = redis.call("ZCARD", kept)
  if count == 0 then
    redis.call("SREM", KEYS[1], kind)
  else
    late = late - redis.call("ZCOUNT", kept, ARGV[3], "+inf")
    if ARGV[5] == "all" or taken[kind] then
      for _, id in ipairs(redis.call("ZRANGE", kept, 0, ARGV[4] - 1)) do
        take[#take + 1] = kind
        take[#take + 1] = id
      end
    else
      others = others + count
    end
  end
end
return { late, others, take }`,

  /**
   * KEYS: the waiting jobs, the delayed jobs. ARGV: the prefix of jobs, how many to look at. Returns
   * when the oldest was received, and since when the first that was not taken is due.
   */
  malipoOldest: `
local oldest, due = false, false
local function look(id, isWaiting)
  local found = redis.call("HMGET", ARGV[1] .. id, "timestamp", "processedOn", "malipoDueAt")
  local at = tonumber(found[1])
  if not at then return end
  if not oldest or at < oldest then oldest = at end
  if isWaiting and not found[2] and not due then due = tonumber(found[3]) or at end
end
local waiting = redis.call("LRANGE", KEYS[1], -ARGV[2], -1)
for at = #waiting, 1, -1 do look(waiting[at], true) end
for _, id in ipairs(redis.call("ZRANGE", KEYS[2], 0, ARGV[2] - 1)) do look(id, false) end
return { oldest and string.format("%.0f", oldest), due and string.format("%.0f", due) }`,

  /**
   * KEYS: the number of shards. ARGV: the wanted number, how long a change is announced. Returns the
   * first number, the number now, the next one, and in how many milliseconds that one comes.
   */
  malipoShards: `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local wanted = tonumber(ARGV[1])
if redis.call("EXISTS", KEYS[1]) == 0 then
  redis.call("HSET", KEYS[1], "first", wanted, "number", wanted)
end
local found = redis.call("HMGET", KEYS[1], "first", "number", "next", "at")
local number, next, at = tonumber(found[2]), tonumber(found[3]), tonumber(found[4])
if next and at <= now then
  number, next = next, nil
  redis.call("HSET", KEYS[1], "number", number)
  redis.call("HDEL", KEYS[1], "next", "at")
end
if wanted > (next or number) then
  next, at = wanted, now + ARGV[2]
  redis.call("HSET", KEYS[1], "next", next, "at", string.format("%.0f", at))
end
return { tonumber(found[1]), number, next or number, next and at - now or 0 }`,
} as const;

export type ScriptName = keyof typeof SCRIPTS;

/** Makes the scripts commands of a client, and of the pipelines that it opens from then on. */
export function defineScripts(redis: RedisClient): void {
  for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { lua });
}

/** The arguments of a script, as ioredis takes them. */
export const scriptArguments = (keys: readonly unknown[], args: readonly unknown[]): unknown[] => [
  keys.length,
  ...keys,
  ...args,
];

type Commands<Result> = Record<string, (args: readonly unknown[]) => Result>;

/** Runs one of the scripts. */
export async function runScript(
  redis: RedisClient,
  name: ScriptName,
  keys: readonly string[],
  args: readonly (string | number)[] = [],
): Promise<unknown> {
  return runCommand(redis, name, scriptArguments(keys, args));
}

/** Runs a command that was defined. */
export async function runCommand(
  redis: RedisClient,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  return (redis as unknown as Commands<Promise<unknown>>)[name]?.(args);
}

/** What BullMQ needs of a pipeline to which it adds jobs. */
export interface CommandRunner {
  runCommand(name: string, args: readonly unknown[]): unknown;
}

/** A pipeline, as BullMQ takes it. */
export const runnerOf = (pipeline: object): CommandRunner => ({
  runCommand: (name, args) => (pipeline as Commands<unknown>)[name]?.(args),
});
