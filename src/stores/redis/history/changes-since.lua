-- import: history
-- class: reads
--
-- Returns the changes after a version, oldest first.
--
-- KEYS  newest entry and changes of the stock
-- ARGV  version, most changes
-- Reply the result of changes_after

return changes_after(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]))
