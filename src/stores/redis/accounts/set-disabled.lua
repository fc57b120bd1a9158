-- import: clock
-- class: frees
--
-- Disables or enables an account. Changes nothing if that is its state already.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis; '1' to disable, '0' to enable
-- Reply name, plan and time of creation; nil when there is no such account

local plan = redis.call('HGET', KEYS[1], 'plan')
if not plan then
  return nil
end
local enabled = string.match(plan, '^disabled %d+ (.+)$')
if ARGV[2] == '0' and enabled then
  redis.call('HSET', KEYS[1], 'plan', enabled)
elseif ARGV[2] == '1' and not enabled then
  local now = tonumber(ARGV[1]) or clock()
  redis.call('HSET', KEYS[1], 'plan', string.format('disabled %.0f ', now) .. plan)
end
return redis.call('HMGET', KEYS[1], 'name', 'plan', 'created')
