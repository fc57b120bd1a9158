-- Decides on requests with a key, one after the other: is the key valid, is it banned, do both windows
-- admit it; counts it if so, records the refusal if not.
--
-- KEYS  for each request: account, its windows, the key's refusals, whose name ends with the key's hash
-- ARGV  the time in milliseconds, or '' for the server's
-- Reply the decisions, joined: a verdict alone, or a decision, the account's plan and the key's record,
--       both of which end with a zero byte

local function limits_of(plan)
  local limits = PLAN_LIMITS[plan]
  if not limits then
    local per_minute, per_day = string.match(plan, '^enterprise (%d+) (%d+)$')
    limits = { tonumber(per_minute), tonumber(per_day) }
    PLAN_LIMITS[plan] = limits
  end
  return limits
end

local function ban(account, field, record, now)
  local level, banned_until = 0, 0
  if record then
    level, banned_until = string.match(record, '^(%d+) (%d+)$')
  end
  local clean = math.floor((now - banned_until) / BAN_FORGIVENESS)
  level = math.min(math.max(level - clean, 0) + 1, #BAN_LADDER)
  local length = BAN_LADDER[level]
  redis.call('HSET', account, field, string.format('%.0f %.0f', level, now + length))
  return length
end

local function decide(account, windows_key, refusals_key, now, minute)
  local hash = string.sub(refusals_key, -KEY_HASH_LENGTH)
  local record = redis.call('HMGET', account, 'plan', 'k:' .. hash, 'u:' .. hash, 'b:' .. hash)
  local plan, key, used, banned = record[1], record[2], record[3], record[4]
  if not plan or not key then
    return string.char(UNKNOWN)
  end
  local verdict = invalid_key(key, now)
  if verdict then
    return string.char(verdict)
  end
  if used ~= minute then
    redis.call('HSET', account, 'u:' .. hash, minute)
  end

  local limits = limits_of(plan)
  local quick = not banned and try_quickly(windows_key, limits, now)
  if quick then
    return quick .. plan .. '\0' .. key .. '\0'
  end
  local windows = read_windows(windows_key, redis.call('GET', windows_key), QUOTA_WINDOWS, now)
  local retry = 0
  if banned then
    retry = math.max(0, tonumber(string.match(banned, '%d+$')) - windows.now)
  end
  if retry > 0 then
    verdict = BANNED
  else
    retry = try_request(windows, limits)
    verdict = retry > 0 and LIMITED or ADMITTED
    if retry > 0 then
      if count_refusal(refusals_key, windows.now) > math.max(MIN_REFUSALS_BEFORE_BAN, limits[1]) then
        verdict = BANNED
        retry = ban(account, 'b:' .. hash, banned, windows.now)
        redis.call('DEL', refusals_key)
      end
    end
  end
  return decision(verdict, retry, windows, limits) .. plan .. '\0' .. key .. '\0'
end

local now = tonumber(ARGV[1]) or clock()
local minute = string.format('%.0f', math.floor(now / 60000))
local reply = {}
for i = 1, #KEYS / 3 do
  reply[i] = decide(KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i], now, minute)
end
return table.concat(reply)
