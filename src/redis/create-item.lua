-- Adds a pet.
--
-- Values  pet id, quantity, status
-- Answer  the item; null when the pet is there already

return each_request(function()
  local pet = value(1)
  return not read_item(pet) and write_item(pet, nil, tonumber(value(2)), value(3))
end)
