-- Says whether keys of an account are valid. Counts nothing.
--
-- KEYS  account
-- ARGV  time or '', then the ids of the keys
-- Reply a verdict for each key, one byte; ADMITTED when it is valid

local function state_of(id, now)
  local info = redis.call('HGET', KEYS[1], 'i:' .. id)
  local record = info and redis.call('HGET', KEYS[1], string.match(info, '^%S+'))
  if not record then
    return UNKNOWN
  end
  return invalid_key(read_key(record), now) or ADMITTED
end

local now = tonumber(ARGV[1]) or clock()
local states = {}
for i = 2, #ARGV do
  states[i - 1] = string.char(state_of(ARGV[i], now))
end
return table.concat(states)
