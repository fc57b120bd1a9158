-- Orders of an account: a sorted set of `<order id>,<pet id>,<quantity>,<status>,<placed at>`, then `,<ended at>` if it is
-- delivered or cancelled, then ` <reference>` if it has one. All scores are 0 and ids have leading zeros to 19 digits, so
-- that members are ordered by id, and finding one takes logarithmic time. The index of all orders is a sorted set of `<order id>,<account id>` of the same kind.
--
-- Ended orders of an account: a sorted set of the ids by when they ended. Another sorted set has the accounts by when the
-- first of them ended. So the open orders of an account can be counted, and the oldest ended orders found.

-- Returns an order's member; nil when there is no such order. The id has leading zeros.
local function find_order(orders, id)
  return redis.call('ZRANGEBYLEX', orders, '[' .. id .. ',', '(' .. id .. '-', 'LIMIT', 0, 1)[1]
end

-- Returns an order's member, pet id, quantity and status; nil when there is no such order.
local function read_order(orders, id)
  local order = find_order(orders, padded(id))
  if not order then return nil end
  local pet, quantity, status = string.match(order, '^%d+,(%d+),(%d+),(%d),')
  return order, pet, tonumber(quantity), status
end

-- Replaces the status of an open order at a time, which is text, by the keys of the account's orders, of its ended orders,
-- and of the accounts with such orders. Returns the new member.
local function set_order_status(orders, ended, accounts, account, order, status, now)
  local item, before, placed, rest = string.match(order, '^(%d+,%d+,%d+),(%d),(%d+)(.*)$')
  if before == status then return order end
  local changed = item .. ',' .. status .. ',' .. placed .. rest
  if status == ORDER_DELIVERED or status == ORDER_CANCELLED then
    changed = item .. ',' .. status .. ',' .. placed .. ',' .. now .. rest
    redis.call('ZADD', ended, now, string.sub(order, 1, 19))
    redis.call('ZADD', accounts, 'LT', now, account)
  end
  redis.call('ZREM', orders, order)
  redis.call('ZADD', orders, 0, changed)
  return changed
end

-- Returns the first of the ids of new orders; the others follow in steps. All random numbers come from the service:
-- those of Redis are the same in every run of a script.
local function next_order_ids(last_key, micros, step, count)
  local first = math.max(change.micros + micros, (redis.call('GET', last_key) or 0) + step)
  redis.call('SET', last_key, whole(first + (count - 1) * step))
  return first
end

-- Whether an account would have too many open orders with a number of further ones. `most` is '' for no limit.
local function are_too_many(orders, ended, more, most)
  return most ~= '' and redis.call('ZCARD', orders) - redis.call('ZCARD', ended) + more > tonumber(most)
end

-- Adds an open order. Returns its member.
local function add_order(orders, index, account, id, pet, quantity, reference)
  local order = padded(id) .. ',' .. pet .. ',' .. whole(quantity) .. ',' .. ORDER_PLACED .. ',' .. whole(change.now)
  if reference ~= '' then order = order .. ' ' .. reference end
  redis.call('ZADD', orders, 0, order)
  redis.call('ZADD', index, 0, padded(id) .. ',' .. account)
  return order
end

-- Takes a quantity of a pet from the stock and places an order.
--
-- Keys    orders of the account, last order id, index of all orders, when the account was deleted, ended orders of the
--         account
-- Values  pet id, quantity, random microseconds, random step, most open orders or '', reference
-- Outcome `placed <order>`, `limit` or a refusal, and whether it was stored before (see outcome.lua)
-- class: stores
local function place_order()
  local function decide()
    local pet, wanted = value(1), tonumber(value(2))
    if is_deleted_account(key_at(4)) then return 'no_account' end
    if are_too_many(key_at(1), key_at(5), 1, value(5)) then return 'limit', true end
    local item = read_item(pet)
    if not item then return 'no_pet' end
    if item.quantity < wanted then
      return decide_after_due(pet, 'too_small ' .. whole(item.quantity), decide)
    end
    local id = whole(next_order_ids(key_at(2), value(3), value(4), 1))
    change.reference = id
    write_item(pet, item, item.quantity - wanted, item.status)
    return 'placed ' .. add_order(key_at(1), key_at(3), change.account, id, pet, wanted, value(6))
  end

  return each_once(decide)
end

-- Moves an order to a later status. The numbers of the statuses increase in the life of an order.
--
-- KEYS  items, pets, newest entry, changes; orders of the account, its ended orders, accounts with ended orders
-- ARGV  time in milliseconds or '' for the clock of Redis, order id, status, account id
-- Reply the order; `no_order`; or the number of the order's status if it is later than the requested one
-- class: frees
local function advance_order()
  local order, _, _, status = read_order(KEYS[5], ARGV[2])
  if not order then return 'no_order' end
  if tonumber(status) > tonumber(ARGV[3]) then return tonumber(status) end
  local now = string.format('%.0f', tonumber(ARGV[1]) or clock())
  return set_order_status(KEYS[5], KEYS[6], KEYS[7], ARGV[4], order, ARGV[3], now)
end

-- Cancels an order and returns its quantity to the stock, unless its pet was removed.
--
-- Keys    orders of the account, its ended orders, accounts with ended orders
-- Values  order id, account id
-- Outcome the order; or `no_order`, `delivered`, `too_much_stock`
-- class: frees
local function cancel_order()
  return each_request(function()
    local orders, id = key_at(1), value(1)
    local order, pet, ordered, status = read_order(orders, id)
    if not order then return 'no_order' end
    if status == ORDER_DELIVERED then return 'delivered' end
    if status == ORDER_CANCELLED then return order end
    local item = read_item(pet)
    if item then
      if item.quantity + ordered + held_units(pet) > MAX_QUANTITY then return 'too_much_stock' end
      write_item(pet, item, item.quantity + ordered, item.status)
    end
    return set_order_status(orders, key_at(2), key_at(3), value(2), order, ORDER_CANCELLED, whole(change.now))
  end)
end

-- Returns orders of different accounts.
--
-- KEYS  orders of the account, for each order
-- ARGV  the ids of the orders, with leading zeros
-- Reply the orders; false for those that do not exist
-- class: reads
local function read_orders()
  local orders = {}
  for i, key in ipairs(KEYS) do
    orders[i] = find_order(key, ARGV[i]) or false
  end
  return orders
end

-- Removes the oldest ended orders of an account that ended at or before a time. All processes together remove some at most
-- once in ORDER_REMOVAL_PAUSE.
--
-- KEYS  orders of the account, index of all orders, ended orders of the account, accounts with ended orders; when the last
--       order ended that was removed, the pause
-- ARGV  account id; the time in milliseconds since the epoch; most orders
-- Reply how many were removed
-- class: frees
local function remove_orders()
  if not redis.call('SET', KEYS[6], '1', 'PX', ORDER_REMOVAL_PAUSE, 'NX') then return 0 end
  local due = redis.call('ZRANGE', KEYS[3], '-inf', ARGV[2], 'BYSCORE', 'LIMIT', '0', ARGV[3], 'WITHSCORES')
  local ids, entries, orders = {}, {}, {}
  for i = 1, #due, 2 do
    local id = due[i]
    ids[#ids + 1] = id
    local order = find_order(KEYS[1], id)
    -- An order that is open after all stays. `verify` reports its entry.
    local status = order and string.match(order, '^%d+,%d+,%d+,(%d),')
    if status == ORDER_DELIVERED or status == ORDER_CANCELLED then
      orders[#orders + 1] = order
      entries[#entries + 1] = id .. ',' .. ARGV[1]
    end
  end
  if #ids > 0 then
    redis.call('ZREM', KEYS[3], unpack(ids))
    local last = due[#due]
    if tonumber(last) > tonumber(redis.call('GET', KEYS[5]) or 0) then
      redis.call('SET', KEYS[5], last)
    end
  end
  if #orders > 0 then
    redis.call('ZREM', KEYS[1], unpack(orders))
    redis.call('ZREM', KEYS[2], unpack(entries))
  end
  local oldest = redis.call('ZRANGE', KEYS[3], '0', '0', 'WITHSCORES')[2]
  if oldest then
    redis.call('ZADD', KEYS[4], oldest, ARGV[1])
  else
    redis.call('ZREM', KEYS[4], ARGV[1])
  end
  return #ids
end

-- Deletes the oldest orders of an account, and lets it place no other for some time.
--
-- KEYS  orders of the account, index of all orders, ended orders of the account, accounts with ended orders; when the account
--       was deleted
-- ARGV  time in milliseconds or '' for the clock of Redis, account id, most orders
-- Reply how many were deleted
-- class: frees
local function delete_orders()
  local now = tonumber(ARGV[1]) or clock()
  redis.call('SET', KEYS[5], string.format('%.0f', now), 'PX', string.format('%.0f', DELETED_ACCOUNT_TTL))
  local orders = redis.call('ZRANGE', KEYS[1], 0, ARGV[3] - 1)
  if #orders == 0 then
    redis.call('UNLINK', KEYS[3])
    redis.call('ZREM', KEYS[4], ARGV[2])
    return 0
  end
  local entries, ids = {}, {}
  for i, order in ipairs(orders) do
    entries[i] = string.sub(order, 1, 20) .. ARGV[2]
    ids[i] = string.sub(order, 1, 19)
  end
  redis.call('ZREM', KEYS[1], unpack(orders))
  redis.call('ZREM', KEYS[2], unpack(entries))
  redis.call('ZREM', KEYS[3], unpack(ids))
  return #orders
end

-- Returns orders of several accounts as they are stored, in ascending order of id.
--
-- KEYS  orders of each account
-- ARGV  the order of the first account to begin after, or '' for its first; most orders
-- Reply for each account that was read: its orders. The last of these accounts may have more if there are as many
--       orders as ARGV[2] says.
-- class: reads
local function export_orders()
  local lists, left = {}, tonumber(ARGV[2])
  for i, key in ipairs(KEYS) do
    local from = i == 1 and ARGV[1] ~= '' and '(' .. ARGV[1] or '-'
    lists[i] = redis.call('ZRANGEBYLEX', key, from, '+', 'LIMIT', 0, left)
    left = left - #lists[i]
    if left == 0 then break end
  end
  return lists
end
