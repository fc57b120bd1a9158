-- import: stock change outcome change-items due-holds
--
-- Sets the quantities of several pets, all or none.
--
-- Values  for each pet: pet id, quantity, expected versions and quantity (see refusal_of)
-- Outcome whether it was stored before (see outcome.lua), and the values that are not in the request:
--         `changed <version of the first> <a digit for the status of each>`, or `refused <how many>` and
--         the first MOST_REFUSALS as `<index from 0> <refusal>`, each on its own line

local function decide()
  local pets, quantities = {}, {}
  for at = 1, request.values, 4 do
    pets[#pets + 1] = value(at)
    quantities[#quantities + 1] = value(at + 1)
  end
  local items = redis.call('HMGET', stock.items, unpack(pets))
  local refusals, lines = 0, {}
  local function refuse(i, text)
    refusals = refusals + 1
    if refusals <= MOST_REFUSALS then
      lines[refusals] = '\n' .. i - 1 .. ' ' .. text
    end
  end
  for i, item in ipairs(items) do
    local versions, expected = value(4 * i - 1), value(4 * i)
    if not item then
      refuse(i, 'no_pet')
    elseif versions ~= '' or expected ~= '' then
      local quantity, version = string.match(item, '^(%d+),%d+,(%d+)$')
      local kind = mismatch(tonumber(quantity), version, versions, expected)
      if kind then
        refuse(i, mismatch_text(kind, quantity, version))
      end
    end
  end
  if refusals == 0 then
    local places, due = too_large_at(pets, quantities)
    if due then
      return due == 'again' and 'again' or decide()
    end
    for _, i in ipairs(places) do
      refuse(i, too_large(pets[i], string.match(items[i], '^%d+')))
    end
  end
  if refusals > 0 then
    return 'refused ' .. refusals .. table.concat(lines)
  end
  local statuses = {}
  local first = write_items(pets, items, quantities, statuses)
  return 'changed ' .. whole(first) .. ' ' .. table.concat(statuses)
end

return each_request(function()
  return decide_once(decide)
end)
