-- The stock: a hash of pet id to `<quantity>,<status>,<version>`, a sorted set of the pet ids with leading zeros to 19
-- digits, the id of the newest entry of the history, and the stream of changes (see history.lua).

-- The first four keys of every script on the stock.
local stock = { items = KEYS[1], pets = KEYS[2], newest = KEYS[3], changes = KEYS[4] }

local function padded(pet)
  return string.rep('0', 19 - #pet) .. pet
end

-- Returns an item; nil when there is no such pet. Status and version are text.
local function read_item(pet)
  local item = redis.call('HGET', stock.items, pet)
  if not item then
    return nil
  end
  local quantity, status, version = string.match(item, '^(%d+),(%d+),(%d+)$')
  return { quantity = tonumber(quantity), status = status, version = version }
end

-- Returns the version of the last change, and the number of all changes; both as text.
local function newest_change()
  return string.match(redis.call('GET', stock.newest) or '0-0', '^(%d+)-(%d+)$')
end
