-- import: stock change outcome order
--
-- Takes a quantity of a pet from the stock and places an order.
--
-- Keys    orders of the account, last order id, index of all orders, when the account was deleted, number of orders
-- Values  pet id, quantity, random microseconds, random step
-- Outcome `placed <order>` or a refusal, and whether it was stored before (see outcome.lua)

local function decide()
  local pet, wanted = value(1), tonumber(value(2))
  local deleted = redis.call('GET', key(4))
  if deleted and change.now - deleted < DELETED_ACCOUNT_TTL then
    return 'no_account'
  end
  local item = read_item(pet)
  if not item then
    return 'no_pet'
  end
  if item.quantity < wanted then
    return 'too_small ' .. whole(item.quantity)
  end
  local last = redis.call('GET', key(2))
  -- All random numbers come from the service: those of Redis are the same in every run of a script.
  local id = whole(math.max(change.micros + value(3), (last or 0) + value(4)))
  redis.call('SET', key(2), id)
  -- Data of earlier versions has orders, but not their number. Then list-order-ids.lua reports that.
  if not last or redis.call('EXISTS', key(5)) == 1 then
    redis.call('INCR', key(5))
  end
  change.reference = id
  write_item(pet, item, item.quantity - wanted, item.status)
  return 'placed ' .. add_order(key(1), key(3), change.account, id, pet, wanted, ORDER_PLACED,
    whole(change.now))
end

return each_request(function()
  return decide_once(decide)
end)
