-- class: stores
--
-- Extends or ends the time in which no other restore begins.
--
-- KEYS  restore
-- ARGV  id of the restore, time in milliseconds
-- Reply 1, or nil when the restore is not the running one any more

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return nil
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
