-- Returns the limits of a plan that PLAN_LIMITS does not have yet; nil when the account is disabled.
local function limits_of(plan)
  local per_minute, per_day = string.match(plan, '^enterprise (%d+) (%d+)')
  PLAN_LIMITS[plan] = per_minute and { tonumber(per_minute), tonumber(per_day) }
    or PLAN_LIMITS[string.match(plan, '^(%l+) strict$')]
  return PLAN_LIMITS[plan]
end

-- Returns the limits of a disabled account.
local function limits_when_enabled(plan)
  local own = string.match(plan, '^disabled %d+ (.+)$')
  return PLAN_LIMITS[own] or limits_of(own)
end

-- Returns the end of a key's ban, 0 for none. A ban that seems to begin later than its own length from now was made
-- before the clock was set back: it has ended.
local function ban_end(key, now)
  local length = BAN_LADDER[key.level]
  return length and key.banned - now <= 2 * length and key.banned or 0
end

-- Records that a request with a key was refused because a window is full. A key with too many refusals is banned, for
-- longer each time; then the verdict is NOW_BANNED. Returns the decision and the key's record after that.
local function record_refusal(decision, account, hash, record, refusals_key, limits, now)
  if count_refusal(refusals_key, now) <= math.max(MIN_REFUSALS_BEFORE_BAN, limits[1]) then
    return decision, record
  end
  redis.call('DEL', refusals_key)
  local key = read_key(record)
  local clean = math.max(0, math.floor((now - key.banned) / BAN_FORGIVENESS))
  key.level = math.min(math.max(key.level - clean, 0) + 1, #BAN_LADDER)
  local length = BAN_LADDER[key.level]
  key.banned = now + length
  record = write_key(account, hash, key)
  -- A decision begins with verdict and retry.
  return struct.pack('>BI6', NOW_BANNED, length) .. string.sub(decision, 8), record
end

-- Decides on requests with a key, in order. Checks whether the key is valid, used from an allowed address and not banned,
-- whether its account is enabled, and whether both windows admit the request. Counts the request, or records the refusal.
--
-- KEYS  for each request: account, its windows, the key's refusals, whose name ends with the key's hash
-- ARGV  the time in milliseconds, or '' for the clock of Redis; then for some requests: the index of its account in
--       KEYS; as how many it counts at most, or '' for one; and the client's address as network.ts makes it, or ''.
--       If a window is full, the waits are for so many, or for the lower limit if that is less.
-- Reply the decisions, joined: a verdict alone; ADDRESS_NOT_ALLOWED and the key's id, which ends with a zero byte; or
--       a decision, the account's plan and the key's record, both of which end with a zero byte
-- class: frees
local function admit_key()
  local now = tonumber(ARGV[1]) or clock()
  local minute = string.format('%.0f', math.floor(now / 60000))
  -- The end of most records: last used in this minute, no expiry, no revocation, no ban.
  local usual_end = ' ' .. minute .. ' 0 0 0 0'
  -- The longest such record of a key without networks, whose scope mask has at most three digits.
  local usual_length = KEY_ID_LENGTH + 4 + #usual_end

  -- Usually absent, because tables take time in every run.
  local most_requests, addresses = ARGV[2] and {}, ARGV[2] and {}
  for at = 2, #ARGV, 3 do
    local number = tonumber(ARGV[at])
    most_requests[number], addresses[number] = tonumber(ARGV[at + 1]), ARGV[at + 2]
  end

  local function decide(account, windows_key, refusals_key, most, address)
    local hash = string.sub(refusals_key, -KEY_HASH_LENGTH)
    local fields = redis.call('HMGET', account, 'plan', hash)
    local plan, record = fields[1], fields[2]
    if not plan or not record then return string.char(UNKNOWN) end
    local banned_until = 0
    if #record > usual_length or string.sub(record, -#usual_end) ~= usual_end then
      local key = read_key(record)
      local verdict = invalid_key(key, now)
      if verdict then return string.char(verdict) end
      if tonumber(key.scopes) >= RESTRICTED then
        local is_allowed = false
        for network in string.gmatch(redis.call('HGET', account, 'a:' .. key.id) or '', '%S+') do
          is_allowed = is_allowed or string.sub(address or '', 1, #network) == network
        end
        if not is_allowed then return string.char(ADDRESS_NOT_ALLOWED) .. key.id .. '\0' end
      end
      if key.used ~= minute then
        key.used = minute
        record = write_key(account, hash, key)
      end
      banned_until = ban_end(key, now)
    end
    local limits = PLAN_LIMITS[plan] or limits_of(plan)
    if not limits then
      return on_windows().refuse_disabled(windows_key, limits_when_enabled(plan), now) .. plan .. '\0' .. record .. '\0'
    end
    local decision, verdict = decide_request(windows_key, limits, now, banned_until, most)
    if verdict == LIMITED then
      decision, record = record_refusal(decision, account, hash, record, refusals_key, limits, now)
      if most and string.byte(decision) == NOW_BANNED then
        -- As for every request of a banned key, the waits are for one request.
        local waits = decide_request(windows_key, limits, now, read_key(record).banned)
        decision = string.sub(decision, 1, 7) .. string.sub(waits, 8)
      end
    end
    return decision .. plan .. '\0' .. record .. '\0'
  end

  local decisions = {}
  for at = 1, #KEYS, 3 do
    decisions[#decisions + 1] = decide(KEYS[at], KEYS[at + 1], KEYS[at + 2],
      most_requests and most_requests[at], addresses and addresses[at])
  end
  return table.concat(decisions)
end

-- Decides on a request that counts as several, of which admit_key has counted one. Counts the others, or refuses
-- the whole request. Does not check again whether the key is valid.
--
-- KEYS  account, its windows, the key's refusals, whose name ends with the key's hash
-- ARGV  the time in milliseconds, or '' for the clock of Redis; how many requests it counts as; the time at which
--       the first was counted
-- Reply only a verdict if the key does not exist any more; otherwise a decision and the account's plan
-- class: frees
local function charge_key()
  local now = tonumber(ARGV[1]) or clock()
  local hash = string.sub(KEYS[3], -KEY_HASH_LENGTH)
  local fields = redis.call('HMGET', KEYS[1], 'plan', hash)
  local plan, record = fields[1], fields[2]
  if not plan or not record then return string.char(UNKNOWN) end
  local limits = PLAN_LIMITS[plan] or limits_of(plan)
  if not limits then
    return on_windows().refuse_disabled(KEYS[2], limits_when_enabled(plan), now, tonumber(ARGV[3])) .. plan
  end
  local decision, verdict = on_windows().charge(KEYS[2], limits, now, ban_end(read_key(record), now),
    tonumber(ARGV[2]), tonumber(ARGV[3]))
  if verdict == LIMITED then
    decision = record_refusal(decision, KEYS[1], hash, record, KEYS[3], limits, now)
  end
  return decision .. plan
end

-- Lifts the ban of a key and resets its ban level.
--
-- KEYS  account
-- ARGV  key id
-- Reply the key's fields; nil when there is no such key
-- class: frees
local function unban_key()
  local account, id = KEYS[1], ARGV[1]
  local hash, key = find_key(account, id)
  if not key then return nil end
  key.level, key.banned = 0, 0
  write_key(account, hash, key)
  return key_fields(account, id, hash)
end
