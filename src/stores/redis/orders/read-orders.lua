-- class: reads
--
-- Returns orders of different accounts.
--
-- KEYS  orders of the account, for each order
-- ARGV  the ids of the orders, with leading zeros
-- Reply the orders; false for those that do not exist

local orders = {}
for i, key in ipairs(KEYS) do
  local id = ARGV[i]
  orders[i] = redis.call('ZRANGEBYLEX', key, '[' .. id .. ',', '(' .. id .. '-', 'LIMIT', 0, 1)[1] or false
end
return orders
