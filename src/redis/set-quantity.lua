-- Sets the quantity of a pet.
--
-- KEYS  items, pets, version, changes; where the answer is remembered
-- ARGV  11 pet id, 12 quantity, 13 versions and 14 quantity expected (see refusal_of)
-- Reply `changed <item>` or a refusal, and whether it was remembered

return answer_once(function()
  local pet = ARGV[11]
  local item = read_item(pet)
  local refusal = refusal_of(item, ARGV[13], ARGV[14])
  return refusal or 'changed ' .. write_item(pet, item, tonumber(ARGV[12]), item.status)
end)
