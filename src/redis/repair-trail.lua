-- Writes the ends of the audit trail again if they are lost. If the trail was trimmed, the hash before its oldest entry
-- is lost for good: `verify` reports that entry until it is trimmed. Load it after audit.lua.
--
-- KEYS  ends and entries of the trail
-- ARGV  none
-- Reply 1 when they were lost

if redis.call('EXISTS', KEYS[1]) == 1 then
  return nil
end
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
if not first then
  return nil
end
local function sequence(entry)
  return string.match(entry[1], '^%d+')
end
redis.call(
  'HSET', KEYS[1],
  'newest', sequence(last), 'hash', last[2][6], 'time', last[2][2], 'oldest', sequence(first), 'anchor', CHAIN_START
)
return 1
