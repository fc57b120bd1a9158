-- import: stock history
-- class: reads
--
-- Returns the version after which the history has every change.
--
-- KEYS  items, pets, newest entry, changes
-- Reply the version, as text

local oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', '1')[1]
return oldest and oldest[2][BEFORE_AT] or (newest_change())
