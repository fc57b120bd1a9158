-- import: stock
-- class: reads
--
-- Returns a page of the stock as it is stored, in ascending order of pet id.
--
-- KEYS  items, pets, newest entry, changes
-- ARGV  pet id to begin after, or '' for the first page; most items
-- Reply the ids of the page, and their items; null for an id without an item

local from = ARGV[1] == '' and '-' or '(' .. padded(ARGV[1])
local ids = redis.call('ZRANGEBYLEX', stock.pets, from, '+', 'LIMIT', 0, ARGV[2])
for i, id in ipairs(ids) do
  ids[i] = string.match(id, '^0*(%d+)$')
end
local items = #ids > 0 and redis.call('HMGET', stock.items, unpack(ids)) or {}
return { ids, items }
