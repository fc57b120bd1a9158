-- Takes a quantity of a pet out of stock and places the order.
--
-- KEYS  items, pets, version, changes, orders of the account, last order id; where the answer is
--       remembered
-- ARGV  11 pet id, 12 quantity
-- Reply `placed <order id> <order>` or a refusal, and whether it was remembered

return answer_once(function()
  local pet, wanted = ARGV[11], tonumber(ARGV[12])
  local item = read_item(pet)
  if not item then
    return 'no_pet'
  end
  if item.quantity < wanted then
    return 'too_small ' .. whole(item.quantity)
  end
  local id = whole(redis.call('INCR', KEYS[6]))
  change.reference = id
  write_item(pet, item, item.quantity - wanted, item.status)
  local order = write_order(KEYS[5], id, pet, wanted, ORDER_PLACED, whole(change.now))
  return 'placed ' .. id .. ' ' .. order
end)
