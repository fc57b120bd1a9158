-- class: reads
--
-- Returns a page of the index of all orders, newest first.
--
-- Every order is counted and added to the index in the same step. If the number of entries is another one, entries were lost.
--
-- KEYS  index of all orders, number of orders
-- ARGV  where to begin: '+', or '(' and an order id; most entries
-- Reply 1 when the index has all orders, otherwise 0; then entries

local is_complete = redis.call('GET', KEYS[2]) == string.format('%d', redis.call('ZCARD', KEYS[1]))
local entries = redis.call('ZREVRANGEBYLEX', KEYS[1], ARGV[1], '-', 'LIMIT', 0, ARGV[2])
table.insert(entries, 1, is_complete and 1 or 0)
return entries
