-- Removes a pet.
--
-- KEYS  items, pets, version, changes
-- ARGV  11 pet id
-- Reply the item as it was; nil when there is no such pet

local item = read_item(ARGV[11])
if not item then
  return nil
end
remove_item(ARGV[11], item)
return whole(item.quantity) .. ',' .. item.status .. ',' .. item.version
