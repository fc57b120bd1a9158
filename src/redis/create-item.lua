-- Adds a pet.
--
-- KEYS  items, pets, version
-- ARGV  pet id, quantity, status
-- Reply 1; 0 when the pet is there already

if redis.call('HEXISTS', stock.items, ARGV[1]) == 1 then
  return 0
end
write_item(stock, ARGV[1], tonumber(ARGV[2]), ARGV[3])
return 1
