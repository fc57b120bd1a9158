-- A page of the account ids, in the order of their creation, then of the ids.
--
-- KEYS  index of the accounts
-- ARGV  most ids; then, but for the first page, the account to begin after and when it was created
-- Reply ids and times of creation, in turn

local from = 0
if ARGV[2] then
  local rank = redis.call('ZRANK', KEYS[1], ARGV[2])
  -- Without that account the page begins with those of the same millisecond: it repeats some and lacks none.
  from = rank and rank + 1 or redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[3])
end
return redis.call('ZRANGE', KEYS[1], from, from + ARGV[1] - 1, 'WITHSCORES')
