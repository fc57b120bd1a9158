-- import: stock change
-- class: stores
--
-- Adds a pet.
--
-- Values  pet id, quantity, status
-- Outcome the item; null when the pet exists already

return each_request(function()
  local pet = value(1)
  return not read_item(pet) and write_item(pet, nil, tonumber(value(2)), value(3))
end)
