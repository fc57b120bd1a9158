-- Adds pets, or sets quantity and status of those that are there.
--
-- KEYS  items, pets, version
-- ARGV  for each pet: pet id, quantity, status
-- Reply how many were new

local before = redis.call('HLEN', stock.items)
for i = 1, #ARGV, 3 do
  write_item(stock, ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2])
end
return redis.call('HLEN', stock.items) - before
