-- class: frees
--
-- Sets whether the write policy of an account is strict.
--
-- KEYS  account
-- ARGV  '1' for strict, '0' for any
-- Reply name, plan and time of creation; nil when there is no such account

local plan = redis.call('HGET', KEYS[1], 'plan')
if not plan then
  return nil
end
local own = string.match(plan, '^(.+) strict$') or plan
redis.call('HSET', KEYS[1], 'plan', ARGV[1] == '1' and own .. ' strict' or own)
return redis.call('HMGET', KEYS[1], 'name', 'plan', 'created')
