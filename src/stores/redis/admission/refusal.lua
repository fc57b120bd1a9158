-- import: window key
--
-- Limits of plans, and bans after refusals.

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
