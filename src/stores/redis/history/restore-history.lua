-- class: stores
--
-- Appends entries to the history as they were.
--
-- KEYS  changes
-- ARGV  how many texts each entry has; then for each entry: its id, and its field names and values, which alternate

local size = tonumber(ARGV[1])
for at = 2, #ARGV, size do
  redis.call('XADD', KEYS[1], unpack(ARGV, at, at + size - 1))
end
