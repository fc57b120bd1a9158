-- import: clock
-- class: frees
--
-- Deletes the oldest orders of an account, and lets it place no other for some time.
--
-- KEYS  orders of the account, index of all orders, number of orders, when the account was deleted; ended orders of the
--       account, accounts with ended orders
-- ARGV  time in milliseconds or '' for the clock of Redis, account id, most orders
-- Reply how many were deleted

local now = tonumber(ARGV[1]) or clock()
redis.call('SET', KEYS[4], string.format('%.0f', now), 'PX', string.format('%.0f', DELETED_ACCOUNT_TTL))
local orders = redis.call('ZRANGE', KEYS[1], 0, ARGV[3] - 1)
if #orders == 0 then
  redis.call('UNLINK', KEYS[5])
  redis.call('ZREM', KEYS[6], ARGV[2])
  return 0
end
local entries, ids = {}, {}
for i, order in ipairs(orders) do
  entries[i] = string.sub(order, 1, 20) .. ARGV[2]
  ids[i] = string.sub(order, 1, 19)
end
redis.call('ZREM', KEYS[1], unpack(orders))
redis.call('ZREM', KEYS[2], unpack(entries))
redis.call('ZREM', KEYS[5], unpack(ids))
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('INCRBY', KEYS[3], -#orders)
end
return #orders
