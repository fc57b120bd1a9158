-- The stock: a hash of pet id to `<quantity>,<status>,<version>`, a sorted set of the pet ids padded to
-- 19 digits, the count of all changes, whose value after a change is the version of the item, and the
-- stream of the changes.

-- The first four keys of every script on the stock.
local stock = { items = KEYS[1], pets = KEYS[2], version = KEYS[3], changes = KEYS[4] }

local function padded(pet)
  return string.rep('0', 19 - #pet) .. pet
end

-- An item; nil when there is no such pet. Status and version are text.
local function read_item(pet)
  local item = redis.call('HGET', stock.items, pet)
  if not item then
    return nil
  end
  local quantity, status, version = string.match(item, '^(%d+),(%d+),(%d+)$')
  return { quantity = tonumber(quantity), status = status, version = version }
end

local function stock_version()
  return redis.call('GET', stock.version) or '0'
end
