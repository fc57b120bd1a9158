-- Adds to quantities of pets, or takes from them, each request for itself.
--
-- Values  pet id, what to add, versions and quantity expected (see refusal_of)
-- Answer  `changed <item>` or a refusal, and whether it was remembered (see answer.lua)

local function decide()
  local pet = value(1)
  local item = read_item(pet)
  local refusal = refusal_of(item, value(3), value(4))
  if refusal then
    return refusal
  end
  local quantity = item.quantity + value(2)
  if quantity < 0 then
    return 'too_small ' .. whole(item.quantity)
  end
  if quantity > MAX_QUANTITY then
    return 'too_large ' .. whole(item.quantity)
  end
  return 'changed ' .. write_item(pet, item, quantity, item.status)
end

return each_request(function()
  return answer_once(decide)
end)
