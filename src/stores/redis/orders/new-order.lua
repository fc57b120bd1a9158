-- import: stock change
--
-- New orders.

-- Returns the first of the ids of new orders; the others follow in steps. All random numbers come from the service:
-- those of Redis are the same in every run of a script.
local function next_order_ids(last_key, count_key, micros, step, count)
  local first = math.max(change.micros + micros, (redis.call('GET', last_key) or 0) + step)
  redis.call('SET', last_key, whole(first + (count - 1) * step))
  redis.call('INCRBY', count_key, count)
  return first
end

-- Whether an account would have too many open orders with a number of further ones.
--
-- orders, ended  keys of the account's orders, and of those that ended
-- most           the most open orders, '' for no limit
local function are_too_many(orders, ended, more, most)
  return most ~= '' and redis.call('ZCARD', orders) - redis.call('ZCARD', ended) + more > tonumber(most)
end

-- Adds an order. Returns its member.
local function add_order(orders, index, account, id, pet, quantity, status, placed)
  local order = string.format('%s,%s,%.0f,%s,%s', padded(id), pet, quantity, status, placed)
  redis.call('ZADD', orders, 0, order)
  redis.call('ZADD', index, 0, padded(id) .. ',' .. account)
  return order
end
