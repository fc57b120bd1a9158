-- import: stock change hold
-- class: stores
--
-- Compares the held units of pets with the active holds. Leaves out pets of more holds than one call can read.
--
-- Values  `check`, or `repair` to count again; most holds of a pet; pet ids
-- Outcome `<pet> <counted> <held>` for each pet that is counted wrongly

local holds = hold_functions()

return each_request(function()
  local found = {}
  for i = 3, request.values do
    local pet = value(i)
    local from = 'p' .. padded(pet) .. ','
    local members = holds.find(from, 'p' .. padded(pet) .. '-', value(2) + 1)
    if #members <= tonumber(value(2)) then
      local sum = 0
      for _, member in ipairs(members) do
        local hold = holds.read(holds.name_of(member))
        for at, own in ipairs(hold and hold.state == HOLD_ACTIVE and hold.pets or {}) do
          if own == pet then
            sum = sum + hold.quantities[at]
          end
        end
      end
      local counted = redis.call('HGET', KEYS[6], 'p' .. pet) or '0'
      if counted ~= whole(sum) then
        found[#found + 1] = pet .. ' ' .. counted .. ' ' .. whole(sum)
        if value(1) == 'repair' then
          redis.call('HDEL', KEYS[6], 'p' .. pet)
          if sum > 0 then
            redis.call('HSET', KEYS[6], 'p' .. pet, whole(sum))
          end
        end
      end
    end
  end
  return found
end)
