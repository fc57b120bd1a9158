-- How a list that was read has changed.
--
-- KEYS  version and changes of the stock
-- ARGV  version, fields, most (see list_changes)
-- Reply as list_changes returns it

return list_changes(KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3])
