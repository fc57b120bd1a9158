-- import: stock
-- class: stores
--
-- Compares pets of the stock with the index of the pets.
--
-- KEYS  those of the stock
-- ARGV  `check`, or `repair` to add what the index lacks, and remove what it should not have; pet ids
-- Reply the pets that only one of the two has

local found = {}
for i = 2, #ARGV do
  local pet = padded(ARGV[i])
  local exists = redis.call('HEXISTS', stock.items, ARGV[i]) == 1
  if exists == not redis.call('ZSCORE', stock.pets, pet) then
    found[#found + 1] = ARGV[i]
    if ARGV[1] == 'repair' and exists then
      redis.call('ZADD', stock.pets, '0', pet)
    elseif ARGV[1] == 'repair' then
      redis.call('ZREM', stock.pets, pet)
    end
  end
end
return found
