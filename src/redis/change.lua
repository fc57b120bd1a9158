-- Changes of the stock. Every change of an item goes through write_item or remove_item, or through
-- write_items in change-items.lua. They append to the history (see history.lua).
-- After stock.lua, in every script that changes an item.
--
-- KEYS  the stock's; then those of each request, the last of them where its answer is remembered if it
--       has a fingerprint (see answer.lua)
-- ARGV  1 time in milliseconds, or '' for the server's
--       2 most changes in the history, or '' for all; 3 how long they stay there, in milliseconds
--       then for each request: how many keys, how many values; reason, note, reference, account id,
--       key id, request id; its fingerprint, or '' when its answer is not to be remembered; the values

local change = {
  -- Since the epoch.
  micros = ARGV[1] ~= '' and ARGV[1] * 1000 or clock_micros(),
  -- No limit is a limit that is never reached.
  most = tonumber(ARGV[2]) or math.huge,
  longest = tonumber(ARGV[3]) or math.huge,
  -- Entries that were appended to the history.
  entries = 0,
}
change.now = math.floor(change.micros / 1000)

-- The request that is being decided, and where its keys and values begin.
local request = { keys_before = 4 }

local function whole(number)
  return string.format('%d', number)
end

-- The newest change: its version, and how many there have been with it.
local newest

local function read_newest()
  if not newest then
    local version, number = newest_change()
    newest = { version = tonumber(version), number = tonumber(number) }
  end
  return newest
end

-- Removes from the history what is too much or too old, but never so much that it takes long. Once for all
-- requests. What is left of too many changes goes with commands of their own (see history-trimmer.ts), what
-- is too old with further changes.
local function trim_history()
  if change.entries == 0 or change.longest == math.huge then
    return
  end
  local number, last_too_old = read_newest().number, change.now - change.longest
  -- By how many changes the history is longer than its limit without this entry and those before it.
  local function excess(entry)
    return number - string.match(entry[1], '%d+$') - change.most
  end
  -- The time is the first field.
  local function is_too_old(entry)
    return tonumber(entry[2][2]) <= last_too_old
  end
  local oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', '1')[1]
  if not oldest or (excess(oldest) < HISTORY_SLACK and not is_too_old(oldest)) then
    return
  end
  local last, next, seen = nil, oldest, 0
  while next and seen < MOST_TRIMMED and (excess(next) >= 0 or is_too_old(next)) do
    last, seen = next, seen + 1
    next = redis.call('XRANGE', stock.changes, '(' .. last[1], '+', 'COUNT', '1')[1]
  end
  redis.call('XTRIM', stock.changes, 'MINID', '=', whole(string.match(last[1], '^%d+') + 1))
  change.is_lagging = excess(last) >= HISTORY_SLACK and 1 or nil
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

-- The version of the next change: the time in microseconds, but always more than the version before. So no
-- version is used twice, even when Redis comes back with older data: by then more time has passed than changes
-- were lost.
local function next_version()
  return math.max(read_newest().version + 1, change.micros)
end

-- Appends to the history. The fields and their order are always the same, so that the stream has their
-- names once.
--
-- version  of the last of the changes
-- count    how many changes
local function append_entry(version, count, changes)
  local before = whole(newest.version)
  newest.version, newest.number = version, newest.number + count
  change.entries = change.entries + 1
  local id = whole(version) .. '-' .. whole(newest.number)
  redis.call('XADD', stock.changes, id,
    'time', whole(change.now),
    'before', before,
    'changes', changes,
    'reason', change.reason,
    'note', change.note,
    'reference', change.reference,
    'account', change.account,
    'key', change.key,
    'request', change.request)
  redis.call('SET', stock.newest, id)
end

-- A change as the history has it. Quantities are short enough to be joined as they are.
local function change_text(versions_before, pet, before, after, status, version_before)
  return ';' .. versions_before .. ' ' .. pet .. ' ' .. before .. ' ' .. after .. ' ' .. status
    .. ' ' .. version_before
end

-- Appends a change. Returns its version.
local function append_change(pet, before, quantity, status)
  local version = next_version()
  append_entry(version, 1, change_text(0, pet, before and before.quantity or '-', quantity, status,
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
