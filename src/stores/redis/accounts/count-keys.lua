-- class: stores
--
-- Counts the keys of an account again.
--
-- KEYS  account
-- ARGV  none
-- Reply nothing

local keys = 0
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(name, 1, 2) == 'i:' then
    keys = keys + 1
  end
end
if redis.call('HEXISTS', KEYS[1], 'plan') == 1 then
  redis.call('HSET', KEYS[1], 'keys', string.format('%d', keys))
end
