-- import: stock change
-- class: stores
--
-- Sets the status of a pet.
--
-- Values  pet id, status
-- Outcome the item; null when there is no such pet

return each_request(function()
  local pet = value(1)
  local item = read_item(pet)
  return item and write_item(pet, item, item.quantity, value(2))
end)
