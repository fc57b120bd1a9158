-- import: clock
-- class: reads
--
-- Returns a hold.
--
-- KEYS  records (see hold.lua)
-- ARGV  time in milliseconds or '' for the clock of Redis; name
-- Reply the time, and the record; null when there is none

local now = tonumber(ARGV[1]) or clock()
return { string.format('%.0f', now), redis.call('HGET', KEYS[1], ARGV[2]) }
