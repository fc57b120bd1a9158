-- Sets the quantity, the status, or both of a pet.
--
-- KEYS  items, pets, version
-- ARGV  pet id, quantity or '', status or ''
-- Reply the item; nil when there is no such pet

local quantity, status = read_item(stock, ARGV[1])
if not quantity then
  return nil
end
if ARGV[2] ~= '' then
  quantity = tonumber(ARGV[2])
end
if ARGV[3] ~= '' then
  status = ARGV[3]
end
return write_item(stock, ARGV[1], quantity, status)
