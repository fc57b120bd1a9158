-- import: stock
-- class: stores
--
-- Makes the index of the pets agree with the stock.
--
-- KEYS  those of the stock
-- ARGV  pet ids
-- Reply nothing

for _, pet in ipairs(ARGV) do
  if redis.call('HEXISTS', stock.items, pet) == 1 then
    redis.call('ZADD', stock.pets, '0', padded(pet))
  else
    redis.call('ZREM', stock.pets, padded(pet))
  end
end
