-- import: change
-- class: frees
--
-- Continues to trim the history.
--
-- KEYS, ARGV  as in change.lua, without requests
-- Reply       1 when there are more to remove, else nil

change.entries = 1
trim_history()
return change.is_lagging
