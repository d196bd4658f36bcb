import { ATTEMPT_COLUMNS, COLUMNS } from "../columns.ts";
import { LEASE_MARGIN_MS } from "../deadline.ts";
import { RECORD_VERSION, STORE_FORMAT } from "../format.ts";

const luaList = (names: readonly string[]) => `{ ${names.map((name) => `'${name}'`).join(", ")} }`;

/** The place of a column in what `read` returns. */
const found = (column: (typeof COLUMNS)[number]) => `found[${COLUMNS.indexOf(column) + 1}]`;

/**
 * A script, so that each operation is atomic in Redis. Leases are on its clock, which all processes
 * share; if that clock is behind a record, the lease starts again. Only a succeeded record expires:
 * an unknown one stays until it is resolved.
 *
 * All keys of a store have one hash tag, so that a Redis Cluster keeps them on one node. The record of
 * a key is `KEYS[1] .. key`. `KEYS[2]` orders the keys by when they began, `KEYS[3]` by when their
 * result expires, and `KEYS[4] .. digest` those of an account reference by when they began. `KEYS[5]`
 * has the digest of each key, since a record that expired cannot say it any more. `KEYS[6]` orders the
 * keys that have not succeeded. `KEYS[7]` has the format of them all.
 */
export const SCRIPT = `
  local records, index, expiry = KEYS[1], KEYS[2], KEYS[3]
  local references, digests, open = KEYS[4], KEYS[5], KEYS[6]
  local operation = ARGV[1]
  local format = redis.call('GET', KEYS[7])
  if not format then
    if redis.call('EXISTS', index) == 1 then return { 'format', '0' } end
    if operation == 'begin' then redis.call('SET', KEYS[7], '${STORE_FORMAT}') end
  elseif format ~= '${STORE_FORMAT}' then
    return { 'format', format }
  end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local function digits(number) return string.format('%.0f', number) end
  -- As the index orders keys; the comparison of Lua goes by the locale.
  local function comes_after(key, other)
    for at = 1, math.min(#key, #other) do
      local one, two = key:byte(at), other:byte(at)
      if one ~= two then return one > two end
    end
    return #key > #other
  end

  local function elapsed(record, from)
    from = tonumber(from)
    if not from then return false end
    if from <= now then return now - from end
    redis.call('HSET', record, 'lease_from', digits(now))
    return 0
  end
  local function read(record)
    local found = redis.call('HMGET', record, unpack(${luaList(COLUMNS)}))
    if ${found("version")} ~= '${RECORD_VERSION}' then return found, false end
    local passed = elapsed(record, redis.call('HGET', record, 'lease_from'))
    found[#found + 1] = passed and digits(passed)
    return found, passed
  end
  local function drop_reference(key)
    local digest = redis.call('HGET', digests, key)
    if not digest then return end
    redis.call('ZREM', references .. digest, key)
    redis.call('HDEL', digests, key)
  end
  local function drop(key)
    redis.call('DEL', records .. key)
    drop_reference(key)
    redis.call('ZREM', index, key)
    redis.call('ZREM', open, key)
    redis.call('ZREM', expiry, key)
  end
  local function drop_expired()
    for _, key in ipairs(redis.call('ZRANGEBYSCORE', expiry, '-inf', digits(now), 'LIMIT', 0, 20)) do
      if redis.call('EXISTS', records .. key) == 0 then drop(key) end
    end
  end
  local function succeed(key, result, retention)
    redis.call('HSET', records .. key, 'state', 'succeeded', 'result', result)
    redis.call('PEXPIRE', records .. key, retention)
    redis.call('ZADD', expiry, digits(now + retention), key)
    redis.call('ZREM', open, key)
  end

  if operation == 'list' then
    local after_score, after_key, state, scope = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
    local limit, look = tonumber(ARGV[6]), tonumber(ARGV[7])
    local wanted = {
      parameters = ARGV[8], account_reference = ARGV[9], amount = ARGV[10], phone = ARGV[11]
    }
    -- Every event of a payment asks for these: that must not read all attempts.
    local source = index
    if state == 'in_flight' or state == 'unknown' then source = open end
    if wanted.account_reference ~= '' then source = references .. wanted.account_reference end
    local min, rows, last, offset = after_score, {}, {}, 0
    while look > 0 and #rows < limit do
      local page = redis.call('ZRANGEBYSCORE', source, min, '+inf', 'WITHSCORES', 'LIMIT', offset, 100)
      if #page == 0 then return { rows, {} } end
      for i = 1, #page, 2 do
        local key, score = page[i], page[i + 1]
        offset, look = offset + 1, look - 1
        if tonumber(score) > tonumber(after_score) or comes_after(key, after_key) then
          local found, passed = read(records .. key)
          if ${found("version")} == '${RECORD_VERSION}' and ${found("scope")} == scope then
            local field = {}
            for at, name in ipairs(${luaList(COLUMNS)}) do field[name] = found[at] or '' end
            local lease = tonumber(field.lease_ms)
            local now_in = field.state
            if now_in == 'in_flight' and passed and lease and passed >= lease then now_in = 'unknown' end
            local matches = state == '' or state == now_in
            for name, digest in pairs(wanted) do
              if digest ~= '' and digest ~= field[name] then matches = false end
            end
            if matches then rows[#rows + 1] = { key, found } end
          end
          last = { score, key }
        end
        if #rows >= limit or look <= 0 then break end
      end
    end
    return { rows, last }
  end

  local key, owner = ARGV[2], ARGV[3]
  local record = records .. key
  if operation == 'read' then
    if redis.call('EXISTS', record) == 0 then return {} end
    return (read(record))
  elseif operation == 'begin' then
    local found = read(record)
    if ${found("version")} == '${RECORD_VERSION}' and ${found("state")} == 'in_flight' and ${found("owner")} == owner then
      -- ioredis sends a command again after it lost its connection: the record is this attempt's own.
      -- It is written again, so that WAIT has something to wait for.
      redis.call('HSET', record, 'owner', owner)
      return { 'begun' }
    end
    if redis.call('EXISTS', record) == 1 then return found end
    redis.call('HSET', record, 'version', '${RECORD_VERSION}', 'state', 'in_flight',
      'begun_at', digits(now), 'lease_from', digits(now))
    for at, name in ipairs(${luaList(ATTEMPT_COLUMNS)}) do
      if ARGV[2 + at] ~= '' or at <= 7 then redis.call('HSET', record, name, ARGV[2 + at]) end
    end
    redis.call('ZREM', expiry, key)
    redis.call('ZADD', index, digits(now), key)
    redis.call('ZADD', open, digits(now), key)
    drop_reference(key)
    local digest = ARGV[10]
    if digest ~= '' then
      redis.call('ZADD', references .. digest, digits(now), key)
      redis.call('HSET', digests, key, digest)
    end
    return { 'begun' }
  elseif operation == 'finish' or operation == 'forget' then
    local found = redis.call('HMGET', record, 'version', 'owner')
    if found[1] == '${RECORD_VERSION}' and found[2] == owner then
      if operation == 'forget' then
        drop(key)
      elseif ARGV[4] == 'succeeded' then
        succeed(key, ARGV[5], tonumber(ARGV[6]))
      else
        redis.call('HSET', record, 'state', 'unknown')
        redis.call('PERSIST', record)
        redis.call('ZREM', expiry, key)
      end
    end
    drop_expired()
  elseif operation == 'resolve' then
    if redis.call('EXISTS', record) == 0 then return {} end
    local found, passed = read(record)
    local lease = tonumber(${found("lease_ms")})
    local unknown = lease and passed
      and (${found("state")} == 'unknown' or ${found("state")} == 'in_flight' and passed >= lease)
    if not unknown or ${found("scope")} ~= ARGV[4] or owner ~= '' and owner ~= ${found("owner")} then return found end
    if ARGV[5] ~= 'free' then
      -- Without an owner, so that the old owner cannot finish or forget it later.
      redis.call('HSET', record, 'owner', '')
      succeed(key, ARGV[6], tonumber(ARGV[7]))
      return { 'resolved' }
    end
    if passed < lease + ${LEASE_MARGIN_MS} then return found end
    drop(key)
    return { 'resolved' }
  end
  return {}
`;
