-- class: stores
--
-- Compares orders of an account with the index of all orders, and with the account's ended orders. Without orders, compares
-- the place of the account among the accounts with ended orders: one without ended orders has none, and no account has a
-- later place than its first ended order.
--
-- KEYS  orders of the account, its ended orders, index of all orders, accounts with ended orders
-- ARGV  `check`, or `repair` to mend what is found; account id; ids of orders, with leading zeros, or nothing
-- Reply the orders of which an index has too much or too little, with the id alone for those that do not exist; or the
--       account id

local found, is_repair = {}, ARGV[1] == 'repair'
for i = 3, #ARGV do
  local id = ARGV[i]
  local entry = id .. ',' .. ARGV[2]
  local orders = redis.call('ZRANGEBYLEX', KEYS[1], '[' .. id .. ',', '(' .. id .. '-')
  local order = orders[1]
  local ended = order and string.match(order, '^%d+,%d+,%d+,%d,%d+,(%d+)$') or false
  -- Nobody can say which of several orders with an id is right. The records of a snapshot show that.
  local is_ended_rightly = #orders > 1 or redis.call('ZSCORE', KEYS[2], id) == ended
  local is_indexed_rightly = not order == not redis.call('ZSCORE', KEYS[3], entry)
  if not is_indexed_rightly or not is_ended_rightly then
    found[#found + 1] = order or id
    if is_repair and order then
      redis.call('ZADD', KEYS[3], '0', entry)
    elseif is_repair then
      redis.call('ZREM', KEYS[3], entry)
    end
    if is_repair and not is_ended_rightly and ended then
      redis.call('ZADD', KEYS[2], ended, id)
    elseif is_repair and not is_ended_rightly then
      redis.call('ZREM', KEYS[2], id)
    end
  end
end

if #ARGV > 2 then
  return found
end
local oldest = redis.call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')[2]
local place = redis.call('ZSCORE', KEYS[4], ARGV[2])
if oldest and (tonumber(place) or math.huge) > tonumber(oldest) or place and not oldest then
  found[#found + 1] = ARGV[2]
  if is_repair and oldest then
    redis.call('ZADD', KEYS[4], oldest, ARGV[2])
  elseif is_repair then
    redis.call('ZREM', KEYS[4], ARGV[2])
  end
end
return found
