-- import: stock
--
-- Orders of an account: a sorted set of `<order id>,<pet id>,<quantity>,<status>,<placed at>`, and `,<ended at>` if it is
-- delivered or cancelled. All scores are 0 and ids have leading zeros to 19 digits, so that members are ordered by id, and
-- finding one takes logarithmic time. The index of all orders is a sorted set of `<order id>,<account id>` of the same kind.
--
-- Ended orders of an account: a sorted set of the ids by when they ended. Another sorted set has the accounts by when the
-- first of them ended. So the open orders of an account can be counted, and the oldest ended orders found.

-- Returns an order's member, pet id, quantity and status; nil when there is no such order.
local function read_order(orders, id)
  local first = padded(id)
  local order = redis.call('ZRANGEBYLEX', orders, '[' .. first .. ',', '(' .. first .. '-', 'LIMIT', 0, 1)[1]
  if not order then
    return nil
  end
  local pet, quantity, status = string.match(order, '^%d+,(%d+),(%d+),(%d),')
  return order, pet, tonumber(quantity), status
end

-- Replaces the status of an open order. Returns the new member.
--
-- orders, ended, accounts  keys of the account's orders, of its ended orders, and of the accounts with such orders
-- now                      the time in milliseconds since the epoch, as text
local function set_order_status(orders, ended, accounts, account, order, status, now)
  local changed = string.gsub(order, ',%d,(%d+)$', ',' .. status .. ',%1')
  if changed == order then
    return order
  end
  if status == ORDER_DELIVERED or status == ORDER_CANCELLED then
    changed = changed .. ',' .. now
    redis.call('ZADD', ended, now, string.sub(order, 1, 19))
    redis.call('ZADD', accounts, 'LT', now, account)
  end
  redis.call('ZREM', orders, order)
  redis.call('ZADD', orders, 0, changed)
  return changed
end
