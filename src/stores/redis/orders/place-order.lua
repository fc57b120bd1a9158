-- import: stock change outcome new-order deleted-account due-holds
-- class: stores
--
-- Takes a quantity of a pet from the stock and places an order.
--
-- Keys    orders of the account, last order id, index of all orders, when the account was deleted, number of orders, ended
--         orders of the account
-- Values  pet id, quantity, random microseconds, random step, most open orders or ''
-- Outcome `placed <order>`, `limit` or a refusal, and whether it was stored before (see outcome.lua)

local function decide()
  local pet, wanted = value(1), tonumber(value(2))
  if is_deleted_account(key(4)) then
    return 'no_account'
  end
  if are_too_many(key(1), key(6), 1, value(5)) then
    return 'limit', true
  end
  local item = read_item(pet)
  if not item then
    return 'no_pet'
  end
  if item.quantity < wanted then
    return decide_after_due(pet, 'too_small ' .. whole(item.quantity), decide)
  end
  local id = whole(next_order_ids(key(2), key(5), value(3), value(4), 1))
  change.reference = id
  write_item(pet, item, item.quantity - wanted, item.status)
  return 'placed ' .. add_order(key(1), key(3), change.account, id, pet, wanted, ORDER_PLACED,
    whole(change.now))
end

return each_request(function()
  return decide_once(decide)
end)
