-- import: change hold deleted-account new-order
-- class: stores
--
-- Places an order for each item of an active hold. The stock does not change.
--
-- Keys    those of an order (see place-order.lua)
-- Values  hold id, paid items (see hold.lua), random microseconds, random step, most open orders or ''
-- Outcome `held <record>`, `no_account`, `no_hold`, `costs <items>`, `ended <state>`, `limit`, `again`

local holds = hold_functions()

return each_request(function()
  if is_deleted_account(key(4)) then
    return 'no_account'
  end
  local hold = holds.read(change.account .. '/' .. value(1))
  if not hold then
    return 'no_hold'
  end
  local costs = holds.costs(value(2), hold, 0)
  if costs then
    return costs
  end
  if not holds.has_time(hold, true) then
    return 'again'
  end
  if holds.is_due(hold) then
    hold = holds.expire(hold)
  end
  if hold.state == HOLD_ACTIVE then
    local count = #hold.pets
    if are_too_many(key(1), key(6), count, value(5)) then
      return 'limit'
    end
    local first = next_order_ids(key(2), key(5), value(3), value(4), count)
    for i, pet in ipairs(hold.pets) do
      add_order(key(1), key(3), change.account, whole(first + (i - 1) * value(4)), pet, hold.quantities[i],
        ORDER_PLACED, whole(change.now))
    end
    hold = holds.finish(hold, HOLD_CONFIRMED, change.now, whole(first), value(4))
  end
  if hold.state ~= HOLD_CONFIRMED then
    return 'ended ' .. hold.state
  end
  return 'held ' .. holds.record_of(hold)
end)
