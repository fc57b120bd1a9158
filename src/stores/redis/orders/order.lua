-- import: stock
--
-- Orders of an account: a sorted set of `<order id>,<pet id>,<quantity>,<status>,<placed at>`. All scores are 0 and ids
-- have leading zeros to 19 digits, so that members are ordered by id, and finding one takes logarithmic time. The index
-- of all orders is a sorted set of `<order id>,<account id>` of the same kind.

-- Returns an order's member, pet id, quantity, status and time; nil when there is no such order.
local function read_order(orders, id)
  local first = padded(id)
  local order = redis.call('ZRANGEBYLEX', orders, '[' .. first .. ',', '(' .. first .. '-', 'LIMIT', 0, 1)[1]
  if not order then
    return nil
  end
  local pet, quantity, status, placed = string.match(order, '^%d+,(%d+),(%d+),(%d),(%d+)$')
  return order, pet, tonumber(quantity), status, placed
end

-- Replaces the status in an order's member. Returns the new member.
local function set_order_status(orders, order, status)
  local changed = string.gsub(order, ',%d,(%d+)$', ',' .. status .. ',%1')
  if changed ~= order then
    redis.call('ZREM', orders, order)
    redis.call('ZADD', orders, 0, changed)
  end
  return changed
end
