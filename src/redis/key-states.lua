-- Says whether keys of an account are valid. Counts nothing.
--
-- KEYS  account
-- ARGV  time or '', then the ids of the keys
-- Reply a line for each key: `valid`, `unknown`, `revoked` or `expired`

local function state_of(id, now)
  local info = redis.call('HGET', KEYS[1], 'i:' .. id)
  local key = info and redis.call('HGET', KEYS[1], 'k:' .. string.match(info, '^%S+'))
  if not key then
    return 'unknown'
  end
  local expires, revoked = string.match(key, '^%S+ %d+ (%d+) (%d+)$')
  if revoked ~= '0' then
    return 'revoked'
  end
  return expires ~= '0' and now >= tonumber(expires) and 'expired' or 'valid'
end

local now = tonumber(ARGV[1]) or clock()
local states = {}
for i = 2, #ARGV do
  states[i - 1] = state_of(ARGV[i], now)
end
return table.concat(states, '\n')
