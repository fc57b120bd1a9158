-- Sets the status of a pet.
--
-- KEYS  items, pets, version, changes
-- ARGV  11 pet id, 12 status
-- Reply the item; nil when there is no such pet

local item = read_item(ARGV[11])
if not item then
  return nil
end
return write_item(ARGV[11], item, item.quantity, ARGV[12])
