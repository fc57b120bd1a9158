-- Changes of the stock. Every change of an item goes through write_item or erase_item, or through
-- write_items in batch.lua. They append to the history (see history.lua).
--
-- KEYS  those of the stock; the run of the server that made the newest change and its lead; the records and the index of
--       holds (see hold-record.lua); then those of each request. If a request has a fingerprint, its last key stores its outcome (see outcome.lua)
-- ARGV  1 time in milliseconds, or '' for the clock of Redis
--       2 most changes in the history, or '' for no limit; 3 their maximum age in milliseconds
--       4 the run of this server (see info.ts), or '' if it is not known
--       then for each request: how many keys, how many values; reason, note, reference, account id,
--       key id, request id; its fingerprint, or '' when its outcome is not stored; the values

local change = {
  -- The time in microseconds since the epoch.
  micros = ARGV[1] ~= '' and ARGV[1] * 1000 or clock_micros(),
  most = tonumber(ARGV[2]) or math.huge,
  longest = tonumber(ARGV[3]) or math.huge,
  -- Entries that were appended to the history.
  entries = 0,
}
change.now = math.floor(change.micros / 1000)

-- The current request, and where its keys and values begin.
local request = { keys_before = 7 }

local function whole(number)
  return string.format('%d', number)
end

-- The newest change: its version, and the number of all changes up to it.
local newest

local function read_newest()
  if not newest then
    local version, number = newest_change()
    newest = { version = tonumber(version), number = tonumber(number) }
  end
  return newest
end

-- Trims the history, once for all requests, by a bounded number of changes. If there are still too many changes,
-- createHistoryTrimmer in history.ts removes them. Changes that are too old are removed with later changes.
local function trim()
  if change.entries == 0 or change.longest == math.huge then return end
  local number, last_too_old = read_newest().number, change.now - change.longest
  -- Returns by how many changes the history would exceed its limit without this entry and all older ones.
  local function excess(entry)
    return number - string.match(entry[1], '%d+$') - change.most
  end
  -- The time is the first field.
  local function is_too_old(entry)
    return tonumber(entry[2][2]) <= last_too_old
  end
  local oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', '1')[1]
  if not oldest or (excess(oldest) < HISTORY_SLACK and not is_too_old(oldest)) then return end
  local last, next, seen = nil, oldest, 0
  while next and seen < MOST_TRIMMED and (excess(next) >= 0 or is_too_old(next)) do
    last, seen = next, seen + 1
    next = redis.call('XRANGE', stock.changes, '(' .. last[1], '+', 'COUNT', '1')[1]
  end
  redis.call('XTRIM', stock.changes, 'MINID', '=', whole(string.match(last[1], '^%d+') + 1))
  -- See TRIM_POINT in history.lua. A user of Redis that lacks the command can change the stock all the same.
  if redis.pcall('XGROUP', 'SETID', stock.changes, TRIM_POINT, last[1]).err then
    redis.pcall('XGROUP', 'CREATE', stock.changes, TRIM_POINT, last[1])
  end
  change.is_lagging = excess(last) >= HISTORY_SLACK and 1 or nil
end

-- Decides on all requests, in order. Returns their outcomes, and one more value when the history is still too long.
local function each_request(decide)
  local outcomes = {}
  local at = 5
  while at <= #ARGV do
    request.keys, request.values = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    change.reason, change.note, change.reference = ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
    change.account, change.key, change.request = ARGV[at + 5], ARGV[at + 6], ARGV[at + 7]
    request.fingerprint = ARGV[at + 8]
    request.values_before = at + 8
    outcomes[#outcomes + 1] = decide() or false
    at = at + 9 + request.values
    request.keys_before = request.keys_before + request.keys
  end
  trim()
  outcomes[#outcomes + 1] = change.is_lagging
  return outcomes
end

local function value(index)
  return ARGV[request.values_before + index]
end

local function key_at(index)
  return KEYS[request.keys_before + index]
end

-- Returns how far versions are beyond the clock of this server. It grows with every run of a server that makes changes: a
-- failover, a restart or a restore can have lost later versions, which the clock may not be past yet. It grows by 71 to 143
-- minutes, longer than clocks differ, and at random, because two servers can continue from the same version. It stays the
-- same beyond 2^52, so that versions are exact, and if the run of this server is not known.
local function lead()
  local run = ARGV[4]
  local of, least = string.match(redis.call('GET', KEYS[5]) or '', '^(%x+) (%d+)$')
  if of == run or run == '' then return tonumber(least) or 0 end
  least = math.max(tonumber(least) or 0, newest.version - change.micros, 0)
  if change.micros + least < 2 ^ 52 then
    least = least + 2 ^ 32 + tonumber(string.sub(run, 1, 8), 16)
  end
  redis.call('SET', KEYS[5], run .. ' ' .. whole(least))
  return least
end

-- Returns the version of the next change: the time in microseconds and the lead, but always more than the previous version. So
-- no version is used twice, even when Redis has lost changes, which are fewer than the microseconds that have passed.
local function next_version()
  local least = read_newest().version + 1
  change.lead = change.lead or lead()
  return math.max(least, change.micros + change.lead)
end

-- Appends a number of changes to the history, by the version of the last one and the statuses of the items before them. The
-- fields and their order are always the same, so that the stream stores their names once.
local function append_entry(version, count, changes, statuses)
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
    'request', change.request,
    'statuses', statuses)
  redis.call('SET', stock.newest, id)
end

-- Returns a change as text for the history. Lua converts numbers as small as quantities exactly.
local function change_text(versions_before, pet, before, after, status, version_before)
  return ';' .. versions_before .. ' ' .. pet .. ' ' .. before .. ' ' .. after .. ' ' .. status
    .. ' ' .. version_before
end

-- Appends a change. Returns its version.
local function append_change(pet, before, quantity, status)
  local version = next_version()
  append_entry(version, 1, change_text(0, pet, before and before.quantity or '-', quantity, status,
    before and before.version or '-'), before and before.status or '-')
  return whole(version)
end

-- Sets quantity and status of a pet. `before` is the current item, nil for a new pet. Returns the new item.
local function write_item(pet, before, quantity, status)
  local version = append_change(pet, before, quantity, status)
  local item = whole(quantity) .. ',' .. status .. ',' .. version
  redis.call('HSET', stock.items, pet, item)
  if not before then redis.call('ZADD', stock.pets, 0, padded(pet)) end
  return item
end

local function erase_item(pet, before)
  append_change(pet, before, '-', '-')
  redis.call('HDEL', stock.items, pet)
  redis.call('ZREM', stock.pets, padded(pet))
end

-- Returns why an item of this quantity and version cannot be changed, and both values; nil when it can.
--
-- versions  the expected versions, each between two commas; after '!' the excluded versions; '' for any
-- expected  the expected quantity, '' for any
local function mismatch(quantity, version, versions, expected)
  if versions ~= '' then
    local is_listed = string.find(versions, ',' .. version .. ',', 1, true) ~= nil
    local is_exclusion = string.sub(versions, 1, 1) == '!'
    if is_listed == is_exclusion then return 'version_mismatch ' .. version .. ' ' .. quantity end
  end
  if expected == '' or tonumber(expected) == tonumber(quantity) then return nil end
  return 'quantity_mismatch ' .. version .. ' ' .. quantity
end
