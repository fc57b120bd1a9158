-- import: clock sha256 audit
-- class: frees
--
-- Appends entries to the audit trail, and removes the oldest ones beyond its length. The hash of an entry depends on
-- the entry before it, so it is computed here: processes that append at the same time need no retries.
--
-- KEYS  ends and entries of the trail
-- ARGV  time in milliseconds or '' for the clock of Redis, longest trail or '', then the body and its SHA-256 of each
--       entry
-- Reply the sequence number of the first entry

local ends_key, entries_key = KEYS[1], KEYS[2]
local newest, hash, time, oldest, anchor = audit_ends(ends_key)
local first = newest + 1
-- After a failover, the clock of Redis can be behind that of the server before.
time = math.max(time, tonumber(ARGV[1]) or clock())
for at = 3, #ARGV, 2 do
  newest = newest + 1
  hash = sha256(table.concat({ hash, decimal(newest), decimal(time), ARGV[at + 1], '' }, '\n'))
  redis.call('XADD', entries_key, decimal(newest) .. '-0', 'time', decimal(time), 'body', ARGV[at], 'hash', hash)
end

local length = tonumber(ARGV[2])
local excess = length and math.min(newest - oldest + 1 - length, MOST_TRIMMED_ENTRIES) or 0
if excess > 0 then
  local last = decimal(oldest + excess - 1) .. '-0'
  local removed = redis.call('XRANGE', entries_key, last, last)
  -- Without this entry, the trail is broken already. It stays as it is, for those who examine it.
  if removed[1] then
    oldest, anchor = oldest + excess, removed[1][2][6]
    redis.call('XTRIM', entries_key, 'MINID', decimal(oldest) .. '-0')
  end
end

redis.call(
  'HSET', ends_key,
  'newest', decimal(newest), 'hash', hash, 'time', decimal(time), 'oldest', decimal(oldest), 'anchor', anchor
)
return first
