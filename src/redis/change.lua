-- Changes of the stock. Every change of an item goes through write_item or remove_item, which raise the
-- version and append to the history. After stock.lua, in every script that changes an item.
--
-- KEYS  the stock's; then those of each request, the last of them where its answer is remembered if it
--       has a fingerprint (see answer.lua)
-- ARGV  1 time in milliseconds, or '' for the server's
--       2 most changes to remember, or '' for all; 3 how long, in milliseconds
--       then for each request: how many keys, how many values; reason, note, reference, account id,
--       key id, request id; its fingerprint, or '' when its answer is not to be remembered; the values

local change = {
  now = tonumber(ARGV[1]) or clock(),
  -- No limit is a limit that is never reached.
  most = ARGV[2] ~= '' and ARGV[2] or '9007199254740991',
  longest = tonumber(ARGV[3]) or math.huge,
}

-- The request that is being decided, and where its keys and values begin.
local request = { keys_before = 4 }

-- Decides on all requests, one after the other. Returns the answers.
local function each_request(decide)
  local answers = {}
  local at = 4
  while at <= #ARGV do
    request.keys, request.values = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    change.reason, change.note, change.reference = ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
    change.account, change.key, change.request = ARGV[at + 5], ARGV[at + 6], ARGV[at + 7]
    request.fingerprint = ARGV[at + 8]
    request.values_before = at + 8
    answers[#answers + 1] = decide() or false
    at = at + 9 + request.values
    request.keys_before = request.keys_before + request.keys
  end
  return answers
end

local function value(index)
  return ARGV[request.values_before + index]
end

local function key(index)
  return KEYS[request.keys_before + index]
end

local function whole(number)
  return string.format('%.0f', number)
end

-- Forgets the oldest changes that are too old, few at a time. Once the oldest is not, it is not for as
-- long as the script runs.
local function forget_old()
  if change.all_young then
    return
  end
  for _ = 1, MOST_FORGOTTEN do
    local oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', 1)[1]
    -- The time is the first field.
    if not oldest or tonumber(oldest[2][2]) > change.now - change.longest then
      change.all_young = true
      return
    end
    redis.call('XDEL', stock.changes, oldest[1])
  end
end

-- Raises the version and appends to the history. The fields and their order are always the same, so
-- that the stream keeps their names once. Returns the version.
local function append_change(pet, before, quantity, status)
  local version = whole(redis.call('INCR', stock.version))
  redis.call('XADD', stock.changes, 'MAXLEN', '~', change.most, version .. '-0',
    'time', whole(change.now),
    'pet', pet,
    'before', before and whole(before.quantity) or '',
    'after', quantity and whole(quantity) or '',
    'status', status,
    'prev', before and before.version or '',
    'reason', change.reason,
    'note', change.note,
    'reference', change.reference,
    'account', change.account,
    'key', change.key,
    'request', change.request)
  forget_old()
  return version
end

-- Sets quantity and status of a pet. `before` is the item as it was, nil for a new one. Returns it anew.
local function write_item(pet, before, quantity, status)
  local version = append_change(pet, before, quantity, status)
  local item = whole(quantity) .. ',' .. status .. ',' .. version
  redis.call('HSET', stock.items, pet, item)
  if not before then
    redis.call('ZADD', stock.pets, 0, padded(pet))
  end
  return item
end

local function remove_item(pet, before)
  append_change(pet, before, nil, '')
  redis.call('HDEL', stock.items, pet)
  redis.call('ZREM', stock.pets, padded(pet))
end

-- Why an item can't be changed; nil when it can.
--
-- versions  '' for any; otherwise those that are expected, each between two commas
-- quantity  '' for any
local function refusal_of(item, versions, quantity)
  if not item then
    return 'no_pet'
  end
  local actual = item.version .. ' ' .. whole(item.quantity)
  if versions ~= '' and not string.find(versions, ',' .. item.version .. ',', 1, true) then
    return 'version_mismatch ' .. actual
  end
  if quantity ~= '' and tonumber(quantity) ~= item.quantity then
    return 'quantity_mismatch ' .. actual
  end
  return nil
end
