-- import: clock key account
-- class: reads
--
-- Checks whether keys of an account are valid, and the account enabled. Counts nothing.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, then the ids of the keys
-- Reply for each key a verdict, one byte, which is ADMITTED when the key is valid and the account enabled; then the time
--       when it expires, six bytes, 0 for never

local plan = redis.call('HGET', KEYS[1], 'plan') or ''
local valid = string.find(plan, '^disabled ') and DISABLED or ADMITTED
local now = tonumber(ARGV[1]) or clock()
local states = {}
for i = 2, #ARGV do
  local _, key = find_key(KEYS[1], ARGV[i])
  local verdict = key and (invalid_key(key, now) or valid) or UNKNOWN
  states[i - 1] = struct.pack('>BI6', verdict, key and key.expires or 0)
end
return table.concat(states)
