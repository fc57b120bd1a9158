-- class: stores
--
-- Makes restored data usable, unless another restore has begun.
--
-- KEYS  format
-- ARGV  value during this restore, format of the data
-- Reply 1, or nil when another restore has begun

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return nil
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
