-- import: change hold
-- class: frees
--
-- Ends a hold without orders.
--
-- Values  hold id, paid items (see hold.lua)
-- Outcome `held <record>`, `no_hold`, `costs <items>`, `ended <state>`, `again`

local holds = hold_functions()

return each_request(function()
  local hold = holds.read(change.account .. '/' .. value(1))
  if not hold then
    return 'no_hold'
  end
  local costs = holds.costs(value(2), hold, 0)
  if costs then
    return costs
  end
  if hold.state == HOLD_CONFIRMED then
    return 'ended ' .. hold.state
  end
  if not holds.has_time(hold) then
    return 'again'
  end
  if holds.is_due(hold) then
    hold = holds.expire(hold)
  elseif hold.state == HOLD_ACTIVE then
    hold = holds.return_units(hold, HOLD_RELEASED, change.now)
  end
  return 'held ' .. holds.record_of(hold)
end)
