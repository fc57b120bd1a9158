-- Extends or ends the time in which no other restore begins.
--
-- KEYS  restore
-- ARGV  id of the restore, time in milliseconds
-- Reply 1, or nil when the restore is not the running one any more
-- class: stores
local function renew_restore()
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return nil end
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end

-- Makes restored data usable, unless another restore has begun.
--
-- KEYS  format
-- ARGV  value during this restore, format of the data
-- Reply 1, or nil when another restore has begun
-- class: stores
local function finish_restore()
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return nil end
  redis.call('SET', KEYS[1], ARGV[2])
  return 1
end
