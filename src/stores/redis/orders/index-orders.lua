-- class: stores
--
-- Adds orders of several accounts to the index of all orders. Adding one again changes nothing.
--
-- KEYS  index of all orders, then the orders of each account
-- ARGV  the order of the first account to begin after, or '' for its first; most orders; the accounts
-- Reply the number of the account to go on with, and the order to begin after; nil when all are done

local left = tonumber(ARGV[2])
for i = 2, #KEYS do
  local from = i == 2 and ARGV[1] ~= '' and '(' .. ARGV[1] or '-'
  local orders = redis.call('ZRANGEBYLEX', KEYS[i], from, '+', 'LIMIT', 0, left)
  if #orders > 0 then
    local entries = {}
    for at, order in ipairs(orders) do
      entries[2 * at - 1] = '0'
      entries[2 * at] = string.sub(order, 1, 20) .. ARGV[i + 1]
    end
    redis.call('ZADD', KEYS[1], unpack(entries))
    left = left - #orders
    if left == 0 then
      return { i - 1, orders[#orders] }
    end
  end
end
