-- The audit trail: a stream and a hash.
--
-- The id of an entry in the stream is `<sequence number>-0`. Its fields are `time` in milliseconds since the epoch,
-- `body` and `hash`, in this order. The hash has the fields `newest` and `hash` (sequence number and hash of the newest
-- entry), `time` (its time), `oldest` (sequence number of the oldest entry) and `anchor` (the hash before that one).

-- Returns the fields of the hash: newest, hash, time, oldest, anchor. A number that is none, because somebody changed it,
-- is that of an empty trail.
local function audit_ends(ends_key)
  local ends = redis.call('HMGET', ends_key, 'newest', 'hash', 'time', 'oldest', 'anchor')
  return tonumber(ends[1]) or 0, ends[2] or CHAIN_START, tonumber(ends[3]) or 0, tonumber(ends[4]) or 1, ends[5] or CHAIN_START
end

-- Returns the last entry of the stream if nothing can continue the trail after it, because the ends lack its number, have a
-- lower one, or lack its hash. Returns nil if the ends have a higher number: then entries are missing, and the ends show it.
local function entry_without_end(ends_key, entries_key)
  local last = redis.call('XREVRANGE', entries_key, '+', '-', 'COUNT', 1)[1]
  local ends = redis.call('HMGET', ends_key, 'newest', 'hash')
  local newest, number = tonumber(ends[1]), last and tonumber(string.match(last[1], '^%d+'))
  if last and (not newest or newest < number or newest == number and not ends[2]) then
    return last
  end
end

-- Returns a number in decimal. Lua would write large ones with an exponent.
local function decimal(number)
  return string.format('%.0f', number)
end
