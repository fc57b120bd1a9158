-- class: stores
--
-- Renames an account.
--
-- KEYS  account
-- ARGV  name
-- Reply name, plan and time of creation; nil when there is no such account

if redis.call('HEXISTS', KEYS[1], 'plan') == 0 then
  return nil
end
redis.call('HSET', KEYS[1], 'name', ARGV[1])
return redis.call('HMGET', KEYS[1], 'name', 'plan', 'created')
