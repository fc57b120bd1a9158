-- The audit trail: a stream. The id of an entry is `<sequence number>-0`. Its fields are `time` in milliseconds since the
-- epoch and `body`, in this order.

local function sequence_of(id)
  return tonumber(string.match(id, '^%d+'))
end

-- Returns the sequence numbers of the oldest and the newest entry, and the time of the newest one. Without entries, the
-- oldest number is that of the next entry. A number is never used again, even if somebody deletes its entry.
local function trail_ends(key)
  if redis.call('EXISTS', key) == 0 then return 1, 0, 0 end
  local info, list = {}, redis.call('XINFO', 'STREAM', key)
  for at = 1, #list, 2 do
    info[list[at]] = list[at + 1]
  end
  local newest, first, last = sequence_of(info['last-generated-id']), info['first-entry'], info['last-entry']
  return first and sequence_of(first[1]) or newest + 1, newest, last and tonumber(last[2][2]) or 0
end

-- Returns a number in decimal. Lua would write large ones with an exponent.
local function decimal(number)
  return string.format('%.0f', number)
end

-- Appends entries to the audit trail, and removes the oldest ones beyond its length.
--
-- KEYS  entries of the trail
-- ARGV  time in milliseconds or '' for the clock of Redis, longest trail or '', then the body of each entry
-- Reply the sequence number of the first entry
-- class: frees
local function append_audit()
  local _, newest, time = trail_ends(KEYS[1])
  -- After a failover, the clock of Redis can be behind that of the server before.
  time = math.max(time, tonumber(ARGV[1]) or clock())
  for at = 3, #ARGV do
    redis.call('XADD', KEYS[1], decimal(newest + at - 2) .. '-0', 'time', decimal(time), 'body', ARGV[at])
  end

  local size = redis.call('XLEN', KEYS[1])
  local excess = math.min(size - (tonumber(ARGV[2]) or size), MOST_TRIMMED_ENTRIES)
  if excess > 0 then redis.call('XTRIM', KEYS[1], 'MAXLEN', '=', size - excess) end
  return newest + 1
end

-- Reads entries of the audit trail.
--
-- KEYS  entries of the trail
-- ARGV  the lowest sequence number, or '' for the newest entries; their highest number
-- Reply the sequence numbers of the oldest and the newest entry, and the entries of the stream
-- class: reads
local function read_audit()
  local oldest, newest = trail_ends(KEYS[1])
  local limit = tonumber(ARGV[2])
  local first = math.max(oldest, tonumber(ARGV[1]) or newest - limit + 1)
  local entries = redis.call('XRANGE', KEYS[1], decimal(first) .. '-0', '+', 'COUNT', limit)
  return { oldest, newest, entries or {} }
end
