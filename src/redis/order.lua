-- Orders of an account: a hash of order id to `<pet id>,<quantity>,<status>,<placed at>`.

-- Pet id, quantity, status and time of an order; nil when there is no such order.
local function read_order(orders, id)
  local order = redis.call('HGET', orders, id)
  if not order then
    return nil
  end
  local pet, quantity, status, placed = string.match(order, '^(%d+),(%d+),(%d),(%d+)$')
  return pet, tonumber(quantity), status, placed
end

local function write_order(orders, id, pet, quantity, status, placed)
  local order = string.format('%s,%.0f,%s,%s', pet, quantity, status, placed)
  redis.call('HSET', orders, id, order)
  return order
end
