-- import: stock change outcome due-holds
-- class: stores
--
-- Sets quantities of pets. Each request is decided separately.
--
-- Values  pet id, quantity, expected versions and quantity (see refusal_of)
-- Outcome `changed <item>` or a refusal, and whether it was stored before (see outcome.lua)

local function decide()
  local pet = value(1)
  local item = read_item(pet)
  local refusal = refusal_of(item, value(3), value(4))
  if refusal then
    return refusal
  end
  local quantity = tonumber(value(2))
  if quantity > item.quantity and quantity + held_units(pet) > MAX_QUANTITY then
    return decide_after_due(pet, too_large(pet, whole(item.quantity)), decide)
  end
  return 'changed ' .. write_item(pet, item, quantity, item.status)
end

return each_request(function()
  return decide_once(decide)
end)
