-- Sets quantities of pets, each request for itself.
--
-- Values  pet id, quantity, versions and quantity expected (see refusal_of)
-- Answer  `changed <item>` or a refusal, and whether it was remembered (see answer.lua)

local function decide()
  local pet = value(1)
  local item = read_item(pet)
  local refusal = refusal_of(item, value(3), value(4))
  return refusal or 'changed ' .. write_item(pet, item, tonumber(value(2)), item.status)
end

return each_request(function()
  return answer_once(decide)
end)
