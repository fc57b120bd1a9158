-- What `verify` compares in one step, and repairs. Each script gets `check`, or `repair` to mend what it finds, and returns
-- the wrong ones among its entries.

-- Returns the arguments from an index on that are wrong.
local function wrong_arguments(first, is_wrong)
  local found = {}
  for i = first, #ARGV do
    if is_wrong(ARGV[i], i) then found[#found + 1] = ARGV[i] end
  end
  return found
end

-- Compares the score of a member with the one that it should have, false for no member. Returns whether it is wrong.
local function is_misplaced(key, member, score, mode)
  if redis.call('ZSCORE', key, member) == score then return false end
  if mode == 'repair' and score then
    redis.call('ZADD', key, score, member)
  elseif mode == 'repair' then
    redis.call('ZREM', key, member)
  end
  return true
end

-- Compares entries of the index of the pets with the stock.
--
-- KEYS  those of the stock
-- ARGV  mode, entries
-- class: stores
local function check_pets()
  return wrong_arguments(2, function(entry)
    local pet = string.match(entry, '^0*(.+)$')
    local exists = #entry == 19 and redis.call('HEXISTS', stock.items, pet) == 1
    return is_misplaced(stock.pets, entry, exists and '0', ARGV[1])
  end)
end

-- Compares the names of pets with the stock, and with the index of SKUs. Leaves out an SKU that two pets have: nobody can say
-- which is right.
--
-- KEYS  those of the stock; names, SKUs
-- ARGV  mode, pet ids
-- class: stores
local function check_names_of_pets()
  local function sku_of(pet)
    return string.match(redis.call('HGET', KEYS[5], pet) or '', '^([^\t]*)\t')
  end

  return wrong_arguments(2, function(pet)
    local is_orphan = redis.call('HEXISTS', stock.items, pet) == 0 and redis.call('HEXISTS', KEYS[5], pet) == 1
    local sku = sku_of(pet)
    local owner = sku and sku ~= '' and redis.call('HGET', KEYS[6], sku) or pet
    local is_unlisted = sku and sku ~= '' and redis.call('HEXISTS', KEYS[6], sku) == 0
    local is_wrong = is_orphan or is_unlisted or owner ~= pet and sku_of(owner) ~= sku
    if is_wrong and ARGV[1] == 'repair' and is_orphan then
      redis.call('HDEL', KEYS[5], pet)
    elseif is_wrong and ARGV[1] == 'repair' then
      redis.call('HSET', KEYS[6], sku, pet)
    end
    return is_wrong
  end)
end

-- Compares SKUs with the names of their pets.
--
-- KEYS  those of the stock; names, SKUs
-- ARGV  mode, SKUs
-- class: stores
local function check_skus()
  return wrong_arguments(2, function(sku)
    local pet = redis.call('HGET', KEYS[6], sku)
    local names = pet and redis.call('HGET', KEYS[5], pet)
    local is_wrong = pet and string.match(names or '', '^([^\t]*)\t') ~= sku
    if is_wrong and ARGV[1] == 'repair' then redis.call('HDEL', KEYS[6], sku) end
    return is_wrong
  end)
end

-- Compares orders of an account with the index of all orders, and with the account's ended orders.
--
-- KEYS  orders of the account, its ended orders, index of all orders
-- ARGV  mode; `there` to compare only orders that exist, `missing` for the others; entries of the index of all orders
-- class: stores
local function check_orders()
  return wrong_arguments(3, function(entry)
    local id = string.sub(entry, 1, 19)
    local orders = redis.call('ZRANGEBYLEX', KEYS[1], '[' .. id .. ',', '(' .. id .. '-')
    local exists = #orders > 0
    if exists ~= (ARGV[2] == 'there') then return false end
    local ended = string.match(orders[1] or '', '^%d+,%d+,%d+,%d,%d+,(%d+)') or false
    local is_wrong = is_misplaced(KEYS[3], entry, exists and '0', ARGV[1])
    -- Nobody can say which of several orders with an id is right. The records of a snapshot show that.
    return #orders < 2 and is_misplaced(KEYS[2], id, ended, ARGV[1]) or is_wrong
  end)
end

-- Compares the places of accounts among the accounts with ended orders: one without ended orders has none, and no account has
-- a later place than its first ended order.
--
-- KEYS  accounts with ended orders; ended orders of each account
-- ARGV  mode, accounts
-- class: stores
local function check_ended_accounts()
  return wrong_arguments(2, function(account, i)
    local oldest = redis.call('ZRANGE', KEYS[i], '0', '0', 'WITHSCORES')[2]
    local place = redis.call('ZSCORE', KEYS[1], account)
    local is_late = oldest and (tonumber(place) or math.huge) > tonumber(oldest)
    return (is_late or place and not oldest) and is_misplaced(KEYS[1], account, oldest or false, ARGV[1])
  end)
end

-- Compares holds with the index of the holds: all entries of a hold, or one entry.
--
-- Values  mode; names of holds, and entries of the index
-- class: stores
local function check_holds()
  local holds = hold_functions()

  return each_request(function()
    local found = {}
    for i = 2, request.values do
      local asked = value(i)
      local name = holds.name_of(asked)
      local hold = holds.read(name)
      local is_right, is_wrong = asked == name, false
      for _, member in ipairs(hold and holds.members(hold) or {}) do
        is_right = is_right or member == asked
        is_wrong = asked == name and is_misplaced(KEYS[7], member, '0', value(1)) or is_wrong
      end
      if is_wrong or not is_right and is_misplaced(KEYS[7], asked, false, value(1)) then
        found[#found + 1] = asked
      end
    end
    return found
  end)
end

-- Compares the held units of pets with the active holds. Leaves out pets of more holds than one call can read.
--
-- Values  mode; most holds of a pet; pet ids, or what was found
-- Outcome the pet id, and what is wrong with it, for each pet that is counted wrongly
-- class: stores
local function check_held_units()
  local holds = hold_functions()

  return each_request(function()
    local found = {}
    for i = 3, request.values do
      local pet = string.match(value(i), '^%d+')
      local from = 'p' .. padded(pet)
      local members = holds.find(from .. ',', from .. '-', value(2) + 1)
      local sum = 0
      for _, member in ipairs(members) do
        local hold = holds.read(holds.name_of(member))
        for at, own in ipairs(hold and hold.state == HOLD_ACTIVE and hold.pets or {}) do
          sum = sum + (own == pet and hold.quantities[at] or 0)
        end
      end
      local counted = redis.call('HGET', KEYS[6], 'p' .. pet) or '0'
      if #members <= tonumber(value(2)) and counted ~= whole(sum) then
        found[#found + 1] = pet .. ' is counted with ' .. counted .. ' held units, but its holds have ' .. whole(sum)
        if value(1) == 'repair' and sum > 0 then
          redis.call('HSET', KEYS[6], 'p' .. pet, whole(sum))
        elseif value(1) == 'repair' then
          redis.call('HDEL', KEYS[6], 'p' .. pet)
        end
      end
    end
    return found
  end)
end

-- Counts the keys of an account again.
--
-- KEYS  account
-- class: stores
local function count_keys()
  local keys = 0
  for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
    keys = keys + (string.sub(name, 1, 2) == 'i:' and 1 or 0)
  end
  if redis.call('HEXISTS', KEYS[1], 'plan') == 1 then
    redis.call('HSET', KEYS[1], 'keys', string.format('%d', keys))
  end
end
