-- Adds to the quantity of a pet, or takes from it.
--
-- KEYS  items, pets, version, changes; where the answer is remembered
-- ARGV  11 pet id, 12 what to add, 13 versions and 14 quantity expected (see refusal_of)
-- Reply `changed <item>` or a refusal, and whether it was remembered

return answer_once(function()
  local pet = ARGV[11]
  local item = read_item(pet)
  local refusal = refusal_of(item, ARGV[13], ARGV[14])
  if refusal then
    return refusal
  end
  local quantity = item.quantity + ARGV[12]
  if quantity < 0 then
    return 'too_small ' .. whole(item.quantity)
  end
  if quantity > MAX_QUANTITY then
    return 'too_large ' .. whole(item.quantity)
  end
  return 'changed ' .. write_item(pet, item, quantity, item.status)
end)
