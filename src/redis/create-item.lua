-- Adds a pet.
--
-- KEYS  items, pets, version, changes
-- ARGV  11 pet id, 12 quantity, 13 status
-- Reply the item; nil when the pet is there already

if read_item(ARGV[11]) then
  return nil
end
return write_item(ARGV[11], nil, tonumber(ARGV[12]), ARGV[13])
