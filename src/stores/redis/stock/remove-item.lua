-- import: stock change due-holds
-- class: frees
--
-- Removes a pet.
--
-- Values  pet id
-- Outcome the item as it was; null when there is no such pet; `held` when units of it are held; `again`

local function decide()
  local pet = value(1)
  local item = read_item(pet)
  if not item then
    return nil
  end
  if held_units(pet) > 0 then
    return decide_after_due(pet, 'held', decide)
  end
  remove_item(pet, item)
  return whole(item.quantity) .. ',' .. item.status .. ',' .. item.version
end

return each_request(decide)
