-- class: frees
--
-- Deletes an account with its keys, windows and usage. The windows of refused requests expire by themselves.
--
-- KEYS  account, its windows, its requests of days and of hours; then the lists of the partition's top accounts
-- ARGV  account id; how many of these lists there are
-- Reply name, plan, time of creation, number of keys; nil when there is no such account

local fields = redis.call('HMGET', KEYS[1], 'name', 'plan', 'created', 'keys')
if not fields[2] then
  return nil
end
local own = #KEYS - ARGV[2]
redis.call('UNLINK', unpack(KEYS, 1, own))
for i = own + 1, #KEYS do
  redis.call('ZREM', KEYS[i], ARGV[1])
end
return fields
