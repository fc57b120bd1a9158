-- import: clock window key refusal
-- class: frees
--
-- Decides on a request that counts as several, of which admit-key.lua has counted one. Counts the others, or refuses
-- the whole request. Does not check again whether the key is valid.
--
-- KEYS  account, its windows, the key's refusals, whose name ends with the key's hash
-- ARGV  the time in milliseconds, or '' for the clock of Redis; how many requests it counts as; the time at which
--       the first was counted
-- Reply only a verdict if the key does not exist any more; otherwise a decision and the account's plan

local now = tonumber(ARGV[1]) or clock()
local hash = string.sub(KEYS[3], -KEY_HASH_LENGTH)
local fields = redis.call('HMGET', KEYS[1], 'plan', hash)
local plan, record = fields[1], fields[2]
if not plan or not record then
  return string.char(UNKNOWN)
end
local limits = PLAN_LIMITS[plan] or limits_of(plan)
if not limits then
  return refuse_disabled(KEYS[2], limits_when_enabled(plan), now, tonumber(ARGV[3])) .. plan
end
local decision, verdict = charge_request(KEYS[2], limits, now, ban_end(read_key(record), now),
  tonumber(ARGV[2]), tonumber(ARGV[3]))
if verdict == LIMITED then
  decision = record_refusal(decision, KEYS[1], hash, record, KEYS[3], limits, now)
end
return decision .. plan
