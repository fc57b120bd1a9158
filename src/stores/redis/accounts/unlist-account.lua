-- import: clock
-- class: frees
--
-- Removes a deleted account from the index, and remembers that it was deleted. If a failover of the account's partition
-- undoes its deletion later, the account is deleted again.
--
-- KEYS  index of the accounts, deleted accounts
-- ARGV  time in milliseconds or '' for the clock of Redis, account id
-- Reply how many entries were removed

local now = tonumber(ARGV[1]) or clock()
-- Two of the oldest make room for each new one.
local over = redis.call('ZRANGE', KEYS[2], '-inf', string.format('%.0f', now - REMEMBERED_DELETION), 'BYSCORE',
  'LIMIT', '0', '2')
if #over > 0 then
  redis.call('ZREM', KEYS[2], unpack(over))
end
redis.call('ZADD', KEYS[2], string.format('%.0f', now), ARGV[2])
redis.call('PEXPIRE', KEYS[2], string.format('%.0f', REMEMBERED_DELETION))
return redis.call('ZREM', KEYS[1], ARGV[2])
