-- Deletes an account with its keys, windows and usage. The windows of refused requests expire by themselves.
--
-- KEYS  account, its windows, its requests of days and of hours
-- Reply name, plan, time of creation, number of keys; nil when there is no such account

local fields = redis.call('HMGET', KEYS[1], 'name', 'plan', 'created', 'keys')
if not fields[2] then
  return nil
end
redis.call('UNLINK', unpack(KEYS))
return fields
