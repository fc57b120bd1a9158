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
  if not item then return nil end
  local quantity, status, version = string.match(item, '^(%d+),(%d+),(%d+)$')
  return { quantity = tonumber(quantity), status = status, version = version }
end

-- Returns the version of the last change, and the number of all changes; both as text.
local function newest_change()
  return string.match(redis.call('GET', stock.newest) or '0-0', '^(%d+)-(%d+)$')
end

-- Returns the ids of the pets after a pet, or of the first pets if it is '', in ascending order.
local function pets_after(pet, most)
  local from = pet == '' and '-' or '(' .. padded(pet)
  local ids = redis.call('ZRANGEBYLEX', stock.pets, from, '+', 'LIMIT', 0, most)
  for i, id in ipairs(ids) do
    ids[i] = string.match(id, '^0*(%d+)$')
  end
  return ids
end

-- Returns a page of the stock, in ascending order of pet id.
--
-- KEYS  items, pets, newest entry, changes
-- ARGV  pet id to begin after, or '' for the first page; most items
-- Reply the version of the stock, and a line for each item: `<pet id>,<quantity>,<status>,<version>`
-- class: reads
local function list_items()
  local ids = pets_after(ARGV[1], ARGV[2])
  if #ids == 0 then return { (newest_change()), '' } end
  local items = redis.call('HMGET', stock.items, unpack(ids))
  for i, id in ipairs(ids) do
    items[i] = id .. ',' .. (items[i] or '')
  end
  return { (newest_change()), table.concat(items, '\n') }
end
