-- import: clock audit
-- class: frees
--
-- Appends entries to the audit trail, and removes the oldest ones beyond its length.
--
-- KEYS  entries of the trail
-- ARGV  time in milliseconds or '' for the clock of Redis, longest trail or '', then the body of each entry
-- Reply the sequence number of the first entry

local _, newest, time = trail_ends(KEYS[1])
-- After a failover, the clock of Redis can be behind that of the server before.
time = math.max(time, tonumber(ARGV[1]) or clock())
for at = 3, #ARGV do
  redis.call('XADD', KEYS[1], decimal(newest + at - 2) .. '-0', 'time', decimal(time), 'body', ARGV[at])
end

local size = redis.call('XLEN', KEYS[1])
local excess = math.min(size - (tonumber(ARGV[2]) or size), MOST_TRIMMED_ENTRIES)
if excess > 0 then
  redis.call('XTRIM', KEYS[1], 'MAXLEN', '=', size - excess)
end
return newest + 1
