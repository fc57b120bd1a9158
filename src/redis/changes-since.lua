-- The changes after a version, oldest first.
--
-- KEYS  items, pets, version, changes
-- ARGV  version of the first change to tell, most changes
-- Reply the version of the stock, and the entries of the stream

return { stock_version(), redis.call('XRANGE', stock.changes, ARGV[1] .. '-0', '+', 'COUNT', ARGV[2]) }
