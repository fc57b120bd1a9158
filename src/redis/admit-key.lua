-- Decides on requests with a key, one after the other: is the key valid, is it banned, do both windows
-- admit it; counts it if so, records the refusal if not.
--
-- KEYS  the stock's, where it is asked how a list has changed; then for each request: account, its
--       windows, the key's refusals, whose name ends with the key's hash
-- ARGV  the time in milliseconds, or '' for the server's; then, if that is asked, what list_changes is given
-- Reply the decisions, joined: a verdict alone, or a decision, the account's plan and the key's record,
--       both of which end with a zero byte; then, if that was asked, what list_changes returns

local now = tonumber(ARGV[1]) or clock()
local minute = string.format('%.0f', math.floor(now / 60000))
-- How the record of nearly every busy key ends: used in this minute, no end, no ban.
local usual_end = ' ' .. minute .. ' 0 0 0 0'
local whole

local function limits_of(plan)
  local per_minute, per_day = string.match(plan, '^enterprise (%d+) (%d+)$')
  PLAN_LIMITS[plan] = { tonumber(per_minute), tonumber(per_day) }
  return PLAN_LIMITS[plan]
end

-- Bans a key for the longer the more often it was. Returns for how long, and the key's record.
local function ban(account, hash, key, at)
  local clean = math.floor((at - key.banned) / BAN_FORGIVENESS)
  key.level = math.min(math.max(key.level - clean, 0) + 1, #BAN_LADDER)
  local length = BAN_LADDER[key.level]
  key.banned = at + length
  return length, write_key(account, hash, key)
end

-- Decides on a request of a valid key where try_quickly does not. Returns the decision and the record.
local function decide_at_length(account, windows_key, refusals_key, hash, record, limits)
  whole = whole or whole_windows()
  local key = read_key(record)
  local windows = whole.read(windows_key, redis.call('GET', windows_key), QUOTA_WINDOWS, now)
  local retry = math.max(0, key.banned - windows.now)
  if retry > 0 then
    return whole.reply(BANNED, retry, windows, limits), record
  end
  retry = whole.try(windows, limits)
  if retry == 0 then
    return whole.reply(ADMITTED, 0, windows, limits), record
  end
  local refusals = whole.count_refusal(refusals_key, windows.now)
  if refusals <= math.max(MIN_REFUSALS_BEFORE_BAN, limits[1]) then
    return whole.reply(LIMITED, retry, windows, limits), record
  end
  redis.call('DEL', refusals_key)
  retry, record = ban(account, hash, key, windows.now)
  return whole.reply(BANNED, retry, windows, limits), record
end

local function decide(account, windows_key, refusals_key)
  local hash = string.sub(refusals_key, -KEY_HASH_LENGTH)
  local fields = redis.call('HMGET', account, 'plan', hash)
  local plan, record = fields[1], fields[2]
  if not plan or not record then
    return string.char(UNKNOWN)
  end
  local limits = PLAN_LIMITS[plan] or limits_of(plan)
  local is_banned = false
  if string.sub(record, -#usual_end) ~= usual_end then
    local key = read_key(record)
    local verdict = invalid_key(key, now)
    if verdict then
      return string.char(verdict)
    end
    if key.used ~= minute then
      key.used = minute
      record = write_key(account, hash, key)
    end
    is_banned = key.banned > now
  end
  local decision = not is_banned and try_quickly(windows_key, limits, now)
  if not decision then
    decision, record = decide_at_length(account, windows_key, refusals_key, hash, record, limits)
  end
  return decision .. plan .. '\0' .. record .. '\0'
end

local of_list = ARGV[2]
local decisions = {}
for at = of_list and 5 or 1, #KEYS, 3 do
  decisions[#decisions + 1] = decide(KEYS[at], KEYS[at + 1], KEYS[at + 2])
end
return { table.concat(decisions), of_list and list_changes(of_list, ARGV[3], ARGV[4]) or nil }
