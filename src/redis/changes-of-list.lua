-- How a list that was read has changed.
--
-- KEYS  items, pets, version, changes
-- ARGV  what list_changes is given
-- Reply as list_changes returns it

return list_changes(ARGV[1], ARGV[2], ARGV[3])
