-- Takes a quantity of a pet from the stock and places an order.
--
-- Keys    orders of the account, last order id, index of all orders, when the account was deleted
-- Values  pet id, quantity
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
  local id = whole(redis.call('INCR', key(2)))
  change.reference = id
  write_item(pet, item, item.quantity - wanted, item.status)
  return 'placed ' .. add_order(key(1), key(3), change.account, id, pet, wanted, ORDER_PLACED,
    whole(change.now))
end

return each_request(function()
  return decide_once(decide)
end)
