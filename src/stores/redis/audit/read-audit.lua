-- import: audit
-- class: reads
--
-- Reads entries of the audit trail.
--
-- KEYS  ends and entries of the trail
-- ARGV  the lowest sequence number, or '' for the newest entries; their highest number
-- Reply newest, hash, oldest, anchor, and the entries of the stream. The first of these may be the one before

local newest, hash, _, oldest, anchor = audit_ends(KEYS[1])
local limit = tonumber(ARGV[2])
local first = math.max(oldest, tonumber(ARGV[1]) or newest - limit + 1)
local from = math.max(1, first - 1)
-- By count, so that an entry that somebody put after the newest one is found, whatever its sequence number.
local entries = redis.call('XRANGE', KEYS[2], decimal(from) .. '-0', '+', 'COUNT', first - from + limit)
return { newest, hash, oldest, anchor, first, entries or {} }
