-- Changes of the stock. Every change of an item goes through write_item or remove_item, or through
-- write_items in change-items.lua. They raise the version and append to the history (see history.lua).
-- After stock.lua, in every script that changes an item.
--
-- KEYS  the stock's; then those of each request, the last of them where its answer is remembered if it
--       has a fingerprint (see answer.lua)
-- ARGV  1 time in milliseconds, or '' for the server's
--       2 most changes in the history, or '' for all; 3 how long they stay there, in milliseconds
--       then for each request: how many keys, how many values; reason, note, reference, account id,
--       key id, request id; its fingerprint, or '' when its answer is not to be remembered; the values

local change = {
  now = tonumber(ARGV[1]) or clock(),
  -- No limit is a limit that is never reached.
  most = tonumber(ARGV[2]) or math.huge,
  longest = tonumber(ARGV[3]) or math.huge,
  -- Entries that were appended to the history, and the version of the last of them.
  entries = 0,
  last = 0,
}

-- The request that is being decided, and where its keys and values begin.
local request = { keys_before = 4 }

local function whole(number)
  return string.format('%.0f', number)
end

-- Removes from the history what is too much or too old, but never so much that it takes long. Once for all
-- requests. What is left of too many changes goes with commands of their own (see history-trimmer.ts), what
-- is too old with further changes.
local function trim_history()
  if change.entries == 0 or change.longest == math.huge then
    return
  end
  local oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', '1')[1]
  local version = tonumber(string.match(oldest[1], '^%d+'))
  if change.last - version >= change.most + HISTORY_SLACK then
    local excess = change.last - change.most - version
    version = version + math.min(excess, MOST_TRIMMED)
    redis.call('XTRIM', stock.changes, 'MINID', '=', whole(version + 1))
    change.is_lagging = excess > MOST_TRIMMED and 1 or nil
    oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', '1')[1]
  end
  -- The time is the first field.
  local last_too_old = change.now - change.longest
  if not oldest or tonumber(oldest[2][2]) > last_too_old then
    return
  end
  local most = math.min(2 * change.entries, MOST_FORGOTTEN)
  for _, entry in ipairs(redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', most)) do
    if tonumber(entry[2][2]) > last_too_old then
      break
    end
    version = tonumber(string.match(entry[1], '^%d+'))
  end
  redis.call('XTRIM', stock.changes, 'MINID', '=', whole(version + 1))
end

-- Decides on all requests, one after the other. Returns the answers, and one more when the history is still too
-- long.
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
  trim_history()
  answers[#answers + 1] = change.is_lagging
  return answers
end

local function value(index)
  return ARGV[request.values_before + index]
end

local function key(index)
  return KEYS[request.keys_before + index]
end

-- Appends to the history. The fields and their order are always the same, so that the stream has their
-- names once.
local function append_entry(version, changes)
  change.entries = change.entries + 1
  change.last = version
  redis.call('XADD', stock.changes, whole(version) .. '-0',
    'time', whole(change.now),
    'changes', changes,
    'reason', change.reason,
    'note', change.note,
    'reference', change.reference,
    'account', change.account,
    'key', change.key,
    'request', change.request)
end

-- A change as the history has it. Quantities are short enough to be joined as they are.
local function change_text(versions_before, pet, before, after, status, version_before)
  return ';' .. versions_before .. ' ' .. pet .. ' ' .. before .. ' ' .. after .. ' ' .. status
    .. ' ' .. version_before
end

-- Raises the version and appends a change. Returns the version.
local function append_change(pet, before, quantity, status)
  local version = redis.call('INCR', stock.version)
  append_entry(version, change_text(0, pet, before and before.quantity or '-', quantity, status,
    before and before.version or '-'))
  return whole(version)
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
  append_change(pet, before, '-', '-')
  redis.call('HDEL', stock.items, pet)
  redis.call('ZREM', stock.pets, padded(pet))
end

-- Why an item of this quantity and version can't be changed; nil when it can.
--
-- versions  '' for any; otherwise those that are expected, each between two commas; after '!' those that are not
-- expected  the quantity that is expected, '' for any
local function mismatch(quantity, version, versions, expected)
  if versions ~= '' then
    local is_listed = string.find(versions, ',' .. version .. ',', 1, true) ~= nil
    local is_exclusion = string.sub(versions, 1, 1) == '!'
    if is_listed == is_exclusion then
      return 'version_mismatch'
    end
  end
  return expected ~= '' and tonumber(expected) ~= quantity and 'quantity_mismatch' or nil
end

-- A mismatch with what the item is like instead. A quantity is short enough to be joined as it is.
local function mismatch_text(kind, quantity, version)
  return kind .. ' ' .. version .. ' ' .. quantity
end

-- Why an item can't be changed; nil when it can. See mismatch.
local function refusal_of(item, versions, expected)
  if not item then
    return 'no_pet'
  end
  local kind = mismatch(item.quantity, item.version, versions, expected)
  return kind and mismatch_text(kind, item.quantity, item.version)
end
