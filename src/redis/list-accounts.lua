-- Returns a page of the account ids, ordered by time of creation, then by id.
--
-- KEYS  index of the accounts
-- ARGV  most ids; then, except for the first page, the account to begin after and its time of creation
-- Reply ids and times of creation, which alternate

local from = 0
if ARGV[2] then
  local rank = redis.call('ZRANK', KEYS[1], ARGV[2])
  -- If the account does not exist any more, the page begins with all accounts of the same millisecond. It may repeat
  -- some and misses none.
  from = rank and rank + 1 or redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[3])
end
return redis.call('ZRANGE', KEYS[1], from, from + ARGV[1] - 1, 'WITHSCORES')
