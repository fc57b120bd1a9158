-- import: stock change
--
-- Removes a pet.
--
-- Values  pet id
-- Outcome the item as it was; null when there is no such pet

return each_request(function()
  local pet = value(1)
  local item = read_item(pet)
  if not item then
    return nil
  end
  remove_item(pet, item)
  return whole(item.quantity) .. ',' .. item.status .. ',' .. item.version
end)
