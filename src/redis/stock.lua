-- The stock: a hash of pet id to `<quantity>,<status>,<version>`, a sorted set of the pet ids padded to
-- 19 digits, and the count of all changes, whose value after a change is the version of the item.
-- Every change of an item goes through write_item or remove_item.

local function padded(pet)
  return string.rep('0', 19 - #pet) .. pet
end

-- Quantity and status of a pet; nil when there is no such pet.
local function read_item(stock, pet)
  local item = redis.call('HGET', stock.items, pet)
  if not item then
    return nil
  end
  local quantity, status = string.match(item, '^(%d+),(%d+),')
  return tonumber(quantity), status
end

local function write_item(stock, pet, quantity, status)
  local version = redis.call('INCR', stock.version)
  local item = string.format('%.0f,%s,%.0f', quantity, status, version)
  if redis.call('HSET', stock.items, pet, item) == 1 then
    redis.call('ZADD', stock.pets, 0, padded(pet))
  end
  return item
end

local function remove_item(stock, pet)
  redis.call('INCR', stock.version)
  redis.call('HDEL', stock.items, pet)
  redis.call('ZREM', stock.pets, padded(pet))
end

-- The first three keys of every script on the stock.
local stock = { items = KEYS[1], pets = KEYS[2], version = KEYS[3] }
