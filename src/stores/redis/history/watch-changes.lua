-- import: history
-- class: reads
--
-- Returns the changes after a version, oldest first, and the revocations in the meantime. One script reads both, so that
-- no change is seen before a revocation that was acknowledged before it was made.
--
-- KEYS  newest entry and changes of the stock, revocations
-- ARGV  version, most changes, position in the revocations or '' for their end
-- Reply the result of changes_after or nil, the new position, ids of revoked keys and accounts; '' if some may be missing

local position, revoked = ARGV[3], {}
-- Without the entry at the position, the stream was trimmed beyond it, or a failover of Redis has lost it.
local is_known = position == '0-0'
if position ~= '' then
  for _, entry in ipairs(redis.call('XRANGE', KEYS[3], position, '+')) do
    if entry[1] == position then
      is_known = true
    else
      revoked[#revoked + 1] = entry[2][2]
    end
    position = entry[1]
  end
  if not is_known then revoked = { '' } end
end
if not is_known then
  local newest = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', '1')[1]
  position = newest and newest[1] or '0-0'
end
return { changes_after(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])) or false, position, revoked }
