-- import: stock change outcome
--
-- Sets quantities of pets. Each request is decided separately.
--
-- Values  pet id, quantity, expected versions and quantity (see refusal_of)
-- Outcome `changed <item>` or a refusal, and whether it was stored before (see outcome.lua)

local function decide()
  local pet = value(1)
  local item = read_item(pet)
  local refusal = refusal_of(item, value(3), value(4))
  return refusal or 'changed ' .. write_item(pet, item, tonumber(value(2)), item.status)
end

return each_request(function()
  return decide_once(decide)
end)
