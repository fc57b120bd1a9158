-- class: stores
--
-- Compares orders of an account with the index of all orders, and with the account's ended orders. Finds orders that an
-- index lacks or should not have, and those that have another score than they should, so that they are in a wrong place.
--
-- KEYS  index of all orders; orders of the account, its ended orders, accounts with ended orders
-- ARGV  account id; the rank to begin at, or '' for 0; most orders; `check`, or `repair` to mend these orders
-- Reply the rank to go on with, '' at the end; then the orders that were found

local from, limit = tonumber(ARGV[2]) or 0, tonumber(ARGV[3])
local orders = redis.call('ZRANGE', KEYS[2], from, from + limit - 1, 'WITHSCORES')
local found = { #orders == 2 * limit and string.format('%.0f', from + limit) or '' }

-- Whether an order is there twice. Nobody can say which one is right, and the records of a snapshot show it.
local function is_double(at, id)
  return string.sub(orders[at - 2] or '', 1, 19) == id or string.sub(orders[at + 2] or '', 1, 19) == id
end

for i = 1, #orders, 2 do
  local order = orders[i]
  local id, entry = string.sub(order, 1, 19), string.sub(order, 1, 20) .. ARGV[1]
  local ended = string.match(order, '^%d+,%d+,%d+,%d,%d+,(%d+)$') or false
  local is_ended_rightly = redis.call('ZSCORE', KEYS[3], id) == ended or is_double(i, id)
  if orders[i + 1] ~= '0' or redis.call('ZSCORE', KEYS[1], entry) ~= '0' or not is_ended_rightly then
    found[#found + 1] = order
    if ARGV[4] == 'repair' then
      redis.call('ZADD', KEYS[2], '0', order)
      redis.call('ZADD', KEYS[1], '0', entry)
      if ended then
        redis.call('ZADD', KEYS[3], ended, id)
        redis.call('ZADD', KEYS[4], 'LT', ended, ARGV[1])
      else
        redis.call('ZREM', KEYS[3], id)
      end
    end
  end
end
return found
