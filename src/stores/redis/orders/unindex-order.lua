-- class: frees
--
-- Removes an entry of the index of all orders, unless its order exists.
--
-- KEYS  index of all orders, orders of the account
-- ARGV  entry, order id with leading zeros
-- Reply nothing

local id = ARGV[2]
if not redis.call('ZRANGEBYLEX', KEYS[2], '[' .. id .. ',', '(' .. id .. '-', 'LIMIT', 0, 1)[1] then
  redis.call('ZREM', KEYS[1], ARGV[1])
end
