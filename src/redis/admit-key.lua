-- Decides on requests with a key, one after the other: is the key valid, is it banned, do both windows
-- admit it; counts it if so, records the refusal if not.
--
-- KEYS  for each request: account, its windows, the key's refusals
-- ARGV  the time in milliseconds, or '' for the server's; then for each request the key's hash
-- Reply a line for each request: `unknown`, `revoked`, `expired`, or
--       `<admitted|limited|banned> <retry in> <standing> <standing> <key id> <scope mask>`

local function limits_of(plan)
  local fixed = PLAN_LIMITS[plan]
  if fixed then
    return fixed
  end
  local per_minute, per_day = string.match(plan, '^enterprise (%d+) (%d+)$')
  return { tonumber(per_minute), tonumber(per_day) }
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

local function decide(account, windows_key, refusals_key, hash, now)
  local record = redis.call('HMGET', account, 'plan', 'k:' .. hash, 'u:' .. hash, 'b:' .. hash)
  local plan, key, used, banned = record[1], record[2], record[3], record[4]
  if not plan or not key then
    return 'unknown'
  end
  local id, scopes, expires, revoked = string.match(key, '^(%S+) (%d+) (%d+) (%d+)$')
  if revoked ~= '0' then
    return 'revoked'
  end
  if expires ~= '0' and now >= tonumber(expires) then
    return 'expired'
  end
  local minute = string.format('%.0f', math.floor(now / 60000))
  if used ~= minute then
    redis.call('HSET', account, 'u:' .. hash, minute)
  end

  local limits = limits_of(plan)
  local windows = read_windows(windows_key, QUOTA_WINDOWS, now)
  local verdict, retry = 'admitted', 0
  if banned then
    retry = math.max(0, tonumber(string.match(banned, '%d+$')) - windows.now)
  end
  if retry > 0 then
    verdict = 'banned'
  else
    retry = try_request(windows, limits)
    if retry > 0 then
      verdict = 'limited'
      local refusals = read_windows(refusals_key, REFUSAL_WINDOWS, windows.now)
      count_request(refusals)
      if refusals[1].total > math.max(MIN_REFUSALS_BEFORE_BAN, limits[1]) then
        verdict = 'banned'
        retry = ban(account, 'b:' .. hash, banned, windows.now)
        redis.call('DEL', refusals_key)
      end
    end
  end
  return quota(verdict, retry, windows, limits) .. ' ' .. id .. ' ' .. scopes
end

local now = tonumber(ARGV[1]) or clock()
local reply = {}
for i = 1, #ARGV - 1 do
  reply[i] = decide(KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i], ARGV[i + 1], now)
end
return table.concat(reply, '\n')
