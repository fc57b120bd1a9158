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

-- Records that a request with a key was refused because a window is full. A key with too many refusals is banned, for
-- longer each time; then the verdict is NOW_BANNED. Returns the decision and the key's record after that.
local function record_refusal(decision, account, hash, record, refusals_key, limits, at)
  if count_refusal(refusals_key, at) <= math.max(MIN_REFUSALS_BEFORE_BAN, limits[1]) then
    return decision, record
  end
  redis.call('DEL', refusals_key)
  local key = read_key(record)
  local clean = math.floor((at - key.banned) / BAN_FORGIVENESS)
  key.level = math.min(math.max(key.level - clean, 0) + 1, #BAN_LADDER)
  local length = BAN_LADDER[key.level]
  key.banned = at + length
  record = write_key(account, hash, key)
  -- A decision begins with verdict and retry.
  return struct.pack('>BI6', NOW_BANNED, length) .. string.sub(decision, 8), record
end
