-- class: frees
--
-- Removes the oldest ended orders of an account that ended at or before a time. All processes together remove some at most
-- once in ORDER_REMOVAL_PAUSE.
--
-- KEYS  orders of the account, index of all orders, number of orders, ended orders of the account, accounts with ended
--       orders, when the last order ended that was removed, the pause
-- ARGV  account id; the time in milliseconds since the epoch; most orders
-- Reply how many were removed

if not redis.call('SET', KEYS[7], '1', 'PX', ORDER_REMOVAL_PAUSE, 'NX') then
  return 0
end
local due = redis.call('ZRANGE', KEYS[4], '-inf', ARGV[2], 'BYSCORE', 'LIMIT', '0', ARGV[3], 'WITHSCORES')
local ids, entries, orders = {}, {}, {}
for i = 1, #due, 2 do
  local id = due[i]
  ids[#ids + 1] = id
  local order = redis.call('ZRANGEBYLEX', KEYS[1], '[' .. id .. ',', '(' .. id .. '-', 'LIMIT', 0, 1)[1]
  -- An order that is open after all stays. `verify` reports its entry.
  local status = order and string.match(order, '^%d+,%d+,%d+,(%d),')
  if status == ORDER_DELIVERED or status == ORDER_CANCELLED then
    orders[#orders + 1] = order
    entries[#entries + 1] = id .. ',' .. ARGV[1]
  end
end
if #ids > 0 then
  redis.call('ZREM', KEYS[4], unpack(ids))
  local last = due[#due]
  if tonumber(last) > tonumber(redis.call('GET', KEYS[6]) or 0) then
    redis.call('SET', KEYS[6], last)
  end
end
if #orders > 0 then
  redis.call('ZREM', KEYS[1], unpack(orders))
  redis.call('ZREM', KEYS[2], unpack(entries))
  if redis.call('EXISTS', KEYS[3]) == 1 then
    redis.call('INCRBY', KEYS[3], -#orders)
  end
end
local oldest = redis.call('ZRANGE', KEYS[4], '0', '0', 'WITHSCORES')[2]
if oldest then
  redis.call('ZADD', KEYS[5], oldest, ARGV[1])
else
  redis.call('ZREM', KEYS[5], ARGV[1])
end
return #ids
