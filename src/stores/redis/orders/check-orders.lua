-- class: stores
--
-- Compares orders of an account with the index of all orders. Finds orders that the index lacks, and those that have
-- another score than 0 in one of the two, so that they are in a wrong place.
--
-- KEYS  index of all orders, orders of the account
-- ARGV  account id; the rank to begin at, or '' for 0; most orders; `check`, or `repair` to mend these orders
-- Reply the rank to go on with, '' at the end; then the orders that were found

local from, limit = tonumber(ARGV[2]) or 0, tonumber(ARGV[3])
local orders = redis.call('ZRANGE', KEYS[2], from, from + limit - 1, 'WITHSCORES')
local found = { #orders == 2 * limit and string.format('%.0f', from + limit) or '' }
for i = 1, #orders, 2 do
  local entry = string.sub(orders[i], 1, 20) .. ARGV[1]
  if orders[i + 1] ~= '0' or redis.call('ZSCORE', KEYS[1], entry) ~= '0' then
    found[#found + 1] = orders[i]
    if ARGV[4] == 'repair' then
      redis.call('ZADD', KEYS[2], '0', orders[i])
      redis.call('ZADD', KEYS[1], '0', entry)
    end
  end
end
return found
