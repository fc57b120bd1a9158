-- import: stock
-- class: reads
--
-- Returns a page of the stock, in ascending order of pet id.
--
-- KEYS  items, pets, newest entry, changes
-- ARGV  pet id to begin after, or '' for the first page; most items
-- Reply the version of the stock, and a line for each item: `<pet id>,<quantity>,<status>,<version>`

local from = ARGV[1] == '' and '-' or '(' .. padded(ARGV[1])
local ids = redis.call('ZRANGEBYLEX', stock.pets, from, '+', 'LIMIT', 0, ARGV[2])
if #ids == 0 then
  return { (newest_change()), '' }
end
for i, id in ipairs(ids) do
  ids[i] = string.match(id, '^0*(%d+)$')
end
local items = redis.call('HMGET', stock.items, unpack(ids))
for i, id in ipairs(ids) do
  items[i] = id .. ',' .. items[i]
end
return { (newest_change()), table.concat(items, '\n') }
