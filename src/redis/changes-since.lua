-- The changes after a version, oldest first.
--
-- KEYS  items, pets, version, changes
-- ARGV  version of the first change, most changes
-- Reply the version of the stock, and entries of the stream, oldest first. The first may begin with earlier
--       changes, and the last may end with more than were asked for.

return { stock_version(), read_entries('XRANGE', stock.changes, ARGV[1] .. '-0', '+', tonumber(ARGV[2])) }
