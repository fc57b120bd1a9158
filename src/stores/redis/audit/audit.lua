-- The audit trail: a stream. The id of an entry is `<sequence number>-0`. Its fields are `time` in milliseconds since the
-- epoch and `body`, in this order.

local function sequence_of(id)
  return tonumber(string.match(id, '^%d+'))
end

-- Returns the sequence numbers of the oldest and the newest entry, and the time of the newest one. Without entries, the
-- oldest number is that of the next entry. A number is never used again, even if somebody deletes its entry.
local function trail_ends(key)
  if redis.call('EXISTS', key) == 0 then
    return 1, 0, 0
  end
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
