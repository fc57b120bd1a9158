-- Adds pets, or sets quantity and status of those that are there.
--
-- KEYS  items, pets, version, changes
-- ARGV  11 and on, for each pet: pet id, quantity, status
-- Reply how many were new

local created = 0
for at = 11, #ARGV, 3 do
  local before = read_item(ARGV[at])
  write_item(ARGV[at], before, tonumber(ARGV[at + 1]), ARGV[at + 2])
  created = created + (before and 0 or 1)
end
return created
