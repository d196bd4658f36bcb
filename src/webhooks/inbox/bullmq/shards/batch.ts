import { KNOWN, REMEMBER, type RedisClient, scriptArguments } from "./scripts.ts";

/** A command as BullMQ defines it on a client: its script, and how many of its arguments are keys. */
interface Definition {
  readonly lua: string;
  readonly numberOfKeys: number;
}

/** What a call of a command of BullMQ is given: its keys, its arguments, and then ours. */
export type Call = readonly unknown[];

/** A command of BullMQ that is called many times in one script. */
export interface Batch {
  /** The command, with the version that BullMQ gives it. */
  readonly command: string;
  readonly kind: BatchKind;
  readonly calls: readonly Call[];
  /** Further keys, in the queue of the calls. */
  readonly keys?: readonly string[];
}

/**
 * Lua: what surrounds a call of each kind. `command` is the command of BullMQ, `own` the further keys.
 *
 * - `add`: the last argument is the key of the job. Gives what is known of the event: nothing, which
 *   adds it, the data of its job, or the digest that is remembered.
 * - `finish`: the last arguments are the retention, the id and the key of the job, and its digest, which is
 *   left in the place of the job; none where it is empty. The further keys are those of the counts and of
 *   the completed jobs.
 */
const KINDS = {
  add: `${KNOWN}
local function one(keys, args)
  local before = known(args[#args])
  if not before then command(keys, args) end
  return before
end
local function finish() end`,
  finish: `${REMEMBER}
local number, ttl = 0, 0
local function one(keys, args)
  local result = command(keys, args)
  local id, key, digest = args[#args - 2], args[#args - 1], args[#args]
  ttl = args[#args - 3]
  if type(result) == "number" and result < 0 then return result end
  redis.call("ZREM", own[2], id)
  redis.call("DEL", key, key .. ":logs")
  if digest ~= "" then
    remember(key, digest, ttl)
    number = number + 1
  end
  return result
end
local function finish() count(own[1], number, ttl) end`,
} as const;

type BatchKind = keyof typeof KINDS;

/**
 * Lua: runs the script of a command for each call, as if each were a command of its own: one that fails
 * does not end the others. A call differs from the first one in few places, and only these are sent.
 *
 * KEYS: those of the first call, the further ones. ARGV: how many arguments a call has, those of the
 * first one; then for each call how many places differ, and each place with what is there.
 */
const batchScript = ({ lua, numberOfKeys }: Definition, kind: BatchKind) => `
local function command(KEYS, ARGV)
${lua}
end
local own = {}
for at = ${numberOfKeys} + 1, #KEYS do own[#own + 1] = KEYS[at] end
${KINDS[kind]}
local width, results = tonumber(ARGV[1]), {}
local at = width + 2
while at <= #ARGV do
  local keys, args = {}, {}
  for place = 1, ${numberOfKeys} do keys[place] = KEYS[place] end
  for place = 1, width do args[place] = ARGV[place + 1] end
  local last = at + 2 * tonumber(ARGV[at])
  for change = at + 1, last, 2 do
    local place = tonumber(ARGV[change])
    if place > ${numberOfKeys} then args[place - ${numberOfKeys}] = ARGV[change + 1]
    else keys[place] = ARGV[change + 1] end
  end
  at = last + 1
  local isDone, result = pcall(one, keys, args)
  if not isDone then
    result = { err = type(result) == "table" and result.err or tostring(result) }
  end
  -- A missing result would move those after it to other calls.
  results[#results + 1] = result == nil and 0 or result
end
finish()
return results`;

const definitionsOf = new WeakMap<RedisClient, Map<string, Definition>>();

/** Remembers the commands that BullMQ defines on a client, so that a batch can contain them. */
export function recordCommands(redis: RedisClient): void {
  const definitions = new Map<string, Definition>();
  definitionsOf.set(redis, definitions);
  const define = redis.defineCommand.bind(redis);
  redis.defineCommand = (name, definition) => {
    const { lua, numberOfKeys } = definition;
    if (numberOfKeys !== undefined) definitions.set(name, { lua, numberOfKeys });
    return define(name, definition);
  };
}

function numberOfKeysOf(redis: RedisClient, { command, kind }: Batch, name: string): number {
  const definition = definitionsOf.get(redis)?.get(command);
  if (definition === undefined) throw new Error(`BullMQ did not define its command ${command}.`);
  if (!(name in redis)) redis.defineCommand(name, { lua: batchScript(definition, kind) });
  return definition.numberOfKeys;
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (one instanceof Buffer && other instanceof Buffer && one.equals(other));

/** Adds how many places of a call differ from the first one, and each place with what is there. */
function addChanges(args: unknown[], first: Call, call: Call): void {
  const countAt = args.push(0) - 1;
  for (const [at, value] of call.entries()) {
    if (!isSame(value, first[at])) args.push(at + 1, value);
  }
  args[countAt] = (args.length - countAt - 1) / 2;
}

/**
 * The replies of a batch, one for each call: an error for a call that failed.
 *
 * @throws {Error} where they are not as many as the calls: nobody knows which is whose.
 */
export function batchReplies<Reply>(reply: unknown, calls: number): readonly (Reply | Error)[] {
  if (reply instanceof Error) throw reply;
  if (Array.isArray(reply) && reply.length === calls) return reply;
  throw new Error(`Redis returned another number of replies than ${calls} calls have.`);
}

/** A batch as a command of its own. Its reply has that of each call: an error for one that failed. */
export function batchCommand(
  redis: RedisClient,
  batch: Batch,
): { readonly name: string; readonly args: readonly unknown[] } {
  const { command, kind, calls, keys = [] } = batch;
  const name = `malipo-${kind}:${command}`;
  const numberOfKeys = numberOfKeysOf(redis, batch, name);
  const [first = []] = calls;
  const args: unknown[] = [first.length - numberOfKeys, ...first.slice(numberOfKeys)];
  for (const call of calls) addChanges(args, first, call);
  return { name, args: scriptArguments([...first.slice(0, numberOfKeys), ...keys], args) };
}
