-- import: change hold
-- class: stores
--
-- Writes holds as they were, with their entries in the index, and counts them.
--
-- Values  name and record of each hold
-- Outcome nothing

local holds = hold_functions()

return each_request(function()
  for i = 1, request.values, 2 do
    if redis.call('HEXISTS', KEYS[6], value(i)) == 0 then
      redis.call('HSET', KEYS[6], value(i), value(i + 1))
      local hold = holds.read(value(i))
      local is_active = hold.state == HOLD_ACTIVE
      holds.save(nil, hold, is_active and hold.pets or {}, is_active and hold.quantities or {})
    end
  end
end)
