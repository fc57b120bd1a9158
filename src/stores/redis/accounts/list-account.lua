-- class: stores
--
-- Puts an existing account back into the index, unless it was deleted.
--
-- KEYS  index of the accounts, deleted accounts
-- ARGV  account id, its time of creation
-- Reply `deleted`, `added`, or `there`

if redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  return 'deleted'
end
return redis.call('ZADD', KEYS[1], 'CH', ARGV[2], ARGV[1]) == 1 and 'added' or 'there'
