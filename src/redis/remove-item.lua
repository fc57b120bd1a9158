-- Removes a pet.
--
-- KEYS  items, pets, version
-- ARGV  pet id
-- Reply the item as it was; nil when there is no such pet

local item = redis.call('HGET', stock.items, ARGV[1])
if item then
  remove_item(stock, ARGV[1])
end
return item
