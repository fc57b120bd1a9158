-- import: stock change outcome change-items due-holds
-- class: stores
--
-- Adds pets, or sets quantity and status of existing ones.
--
-- Values  for each pet: pet id, quantity, status
-- Outcome how many were new, or `too_large` with ` <index from 0> <held units>` for the first MOST_REFUSALS, which is not
--         stored, because the pets can be put once the units are free; and whether it was stored before (see
--         outcome.lua)

local function decide()
  local pets, quantities, statuses = {}, {}, {}
  for at = 1, request.values, 3 do
    pets[#pets + 1] = value(at)
    quantities[#quantities + 1] = value(at + 1)
    statuses[#statuses + 1] = value(at + 2)
  end
  local places, due = too_large_at(pets, quantities)
  if due then
    return due == 'again' and 'again' or decide()
  end
  if places[1] then
    local refused = 'too_large'
    for at = 1, math.min(#places, MOST_REFUSALS) do
      refused = refused .. ' ' .. places[at] - 1 .. ' ' .. held_units(pets[places[at]])
    end
    return refused, true
  end
  local items = redis.call('HMGET', stock.items, unpack(pets))
  local created = 0
  for _, item in ipairs(items) do
    created = created + (item and 0 or 1)
  end
  write_items(pets, items, quantities, statuses)
  return created
end

return each_request(function()
  return decide_once(decide)
end)
