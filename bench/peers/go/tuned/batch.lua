-- Counts requests in two windows of their accounts, and makes the changes of those that are admitted.
--
-- The windows are fixed: a minute and a day of the clock. Around the end of a window, an account can send twice its limit.
--
-- KEYS  the items; then for each request: its minute, its day
-- ARGV  the limits of a minute and of a day; then for each request: the pet and its new quantity, both empty for a list
-- Reply for each request: how many requests its minute has; then the version of the stock for a list, the status of the
--       pet for a change, false if there is no such pet, 0 if the request exceeds a limit

local per_minute, per_day = tonumber(ARGV[1]), tonumber(ARGV[2])
local stored_version = redis.call('HGET', KEYS[1], 'version')
local version = stored_version

local function count(window, seconds)
  local requests = redis.call('INCR', window)
  if requests == 1 then
    redis.call('EXPIRE', window, seconds)
  end
  return requests
end

local function change(pet, quantity)
  local item = redis.call('HGET', KEYS[1], pet)
  if not item then
    return false
  end
  local status = string.sub(item, string.find(item, ',', 1, true) + 1)
  redis.call('HSET', KEYS[1], pet, quantity .. ',' .. status)
  version = string.format('%.0f', version + 1)
  return status
end

local replies = {}
for at = 2, #KEYS, 2 do
  local minute = count(KEYS[at], '120')
  local result
  if minute > per_minute or count(KEYS[at + 1], '172800') > per_day then
    result = 0
  elseif ARGV[at + 1] == '' then
    result = version
  else
    result = change(ARGV[at + 1], ARGV[at + 2])
  end
  replies[at - 1], replies[at] = minute, result
end
if version ~= stored_version then
  redis.call('HSET', KEYS[1], 'version', version)
end
return replies
