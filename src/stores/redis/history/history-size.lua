-- import: stock history
-- class: reads
--
-- Returns how many changes the history has, and the time of the oldest one.
--
-- KEYS  items, pets, newest entry, changes
-- Reply the number; the time in milliseconds since the epoch, as text, '' when there is no change

local oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', '1')[1]
if not oldest then
  return { 0, '' }
end
local _, number = newest_change()
local before_oldest = string.match(oldest[1], '%d+$') - changes_in(oldest)
return { tonumber(number) - before_oldest, oldest[2][2] }
