-- class: stores
--
-- Finds ended orders of an account that do not exist. Finds the oldest, too, if the account is not in its place among the
-- accounts with ended orders. A repair also removes the account from there if it has none.
--
-- KEYS  orders of the account, its ended orders, accounts with ended orders
-- ARGV  account id; the rank to begin at, or '' for 0; most orders; `check`, or `repair` to mend what is found
-- Reply the rank to go on with, '' at the end; then the ids that were found

local from, limit = tonumber(ARGV[2]) or 0, tonumber(ARGV[3])
local ids = redis.call('ZRANGE', KEYS[2], from, from + limit - 1)
local found = { #ids == limit and string.format('%.0f', from + limit) or '' }
for _, id in ipairs(ids) do
  if #redis.call('ZRANGEBYLEX', KEYS[1], '[' .. id .. ',', '(' .. id .. '-', 'LIMIT', '0', '1') == 0 then
    found[#found + 1] = id
    if ARGV[4] == 'repair' then
      redis.call('ZREM', KEYS[2], id)
    end
  end
end
local oldest = redis.call('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')
if from == 0 and oldest[1] and (tonumber(redis.call('ZSCORE', KEYS[3], ARGV[1])) or math.huge) > tonumber(oldest[2]) then
  found[#found + 1] = oldest[1]
  if ARGV[4] == 'repair' then
    redis.call('ZADD', KEYS[3], oldest[2], ARGV[1])
  end
end
if from == 0 and #ids == 0 and ARGV[4] == 'repair' then
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return found
