-- class: frees
--
-- Puts an account on a plan. A disabled account stays disabled, a strict one strict.
--
-- KEYS  account
-- ARGV  plan
-- Reply name, plan and time of creation; nil when there is no such account

local plan = redis.call('HGET', KEYS[1], 'plan')
if not plan then
  return nil
end
local state = string.match(plan, '^disabled %d+ ') or ''
local policy = string.match(plan, ' strict$') or ''
redis.call('HSET', KEYS[1], 'plan', state .. ARGV[1] .. policy)
return redis.call('HMGET', KEYS[1], 'name', 'plan', 'created')
