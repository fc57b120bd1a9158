-- class: reads
--
-- Returns a page of the account ids, ordered by time of creation, then by id.
--
-- KEYS  index of the accounts
-- ARGV  most ids; then, except for the first page, the account to begin after and its time of creation
-- Reply ids and times of creation, which alternate

local from = 0
if ARGV[2] then
  -- Not the rank of the id: it may have been removed, or have got a later time.
  from = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[3])
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1], ARGV[3], ARGV[3], 'BYSCORE')) do
    if id <= ARGV[2] then
      from = from + 1
    end
  end
end
return redis.call('ZRANGE', KEYS[1], from, from + ARGV[1] - 1, 'WITHSCORES')
