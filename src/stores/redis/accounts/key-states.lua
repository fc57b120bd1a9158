-- import: clock key account
--
-- Checks whether keys of an account are valid, and the account enabled. Counts nothing.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, then the ids of the keys
-- Reply a verdict for each key, one byte; ADMITTED when it is valid and the account enabled

local plan = redis.call('HGET', KEYS[1], 'plan') or ''
local valid = string.find(plan, '^disabled ') and DISABLED or ADMITTED

local function state_of(id, now)
  local _, key = find_key(KEYS[1], id)
  return key and (invalid_key(key, now) or valid) or UNKNOWN
end

local now = tonumber(ARGV[1]) or clock()
local states = {}
for i = 2, #ARGV do
  states[i - 1] = string.char(state_of(ARGV[i], now))
end
return table.concat(states)
