-- import: audit
-- class: stores
--
-- Writes the ends of the audit trail again if they are lost, or damaged so that nothing can continue it. The number of its
-- oldest entry and the hash before that entry stay if they are known. If the trail was trimmed and that hash is lost,
-- `verify` reports the oldest entry until it is trimmed.
--
-- KEYS  ends and entries of the trail
-- ARGV  none
-- Reply 1 when the ends were written

local last = entry_without_end(KEYS[1], KEYS[2])
if not last then
  return nil
end
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
local known = redis.call('HMGET', KEYS[1], 'oldest', 'anchor')
local function sequence(entry)
  return string.match(entry[1], '^%d+')
end
redis.call(
  'HSET', KEYS[1],
  'newest', sequence(last), 'hash', last[2][6] or CHAIN_START, 'time', last[2][2] or 0,
  'oldest', tonumber(known[1]) and known[1] or sequence(first), 'anchor', known[2] or CHAIN_START
)
return 1
