-- Returns a page of the index of all orders, newest first.
--
-- Every id up to the last one belongs to an order in the index, or to none any more. If there are more ids than that,
-- earlier versions of the service have placed orders without an entry.
--
-- KEYS  index of all orders, last order id, number of ids without an order
-- ARGV  where to begin: '+', or '(' and an order id; most entries
-- Reply how many orders have no entry, then entries

local function number(key)
  return tonumber(redis.call('GET', key) or 0)
end

local missing = number(KEYS[2]) - number(KEYS[3]) - redis.call('ZCARD', KEYS[1])
local entries = redis.call('ZREVRANGEBYLEX', KEYS[1], ARGV[1], '-', 'LIMIT', 0, ARGV[2])
table.insert(entries, 1, missing)
return entries
