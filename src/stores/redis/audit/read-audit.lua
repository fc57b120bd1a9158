-- import: audit
-- class: reads
--
-- Reads entries of the audit trail.
--
-- KEYS  entries of the trail
-- ARGV  the lowest sequence number, or '' for the newest entries; their highest number
-- Reply the sequence numbers of the oldest and the newest entry, and the entries of the stream

local oldest, newest = trail_ends(KEYS[1])
local limit = tonumber(ARGV[2])
local first = math.max(oldest, tonumber(ARGV[1]) or newest - limit + 1)
local entries = redis.call('XRANGE', KEYS[1], decimal(first) .. '-0', '+', 'COUNT', limit)
return { oldest, newest, entries or {} }
