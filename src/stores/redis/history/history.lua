-- The history: a stream whose entries have one or several changes each.
--
-- An entry `<version>-<number>` has the fields `time`, `before`, `changes`, `reason`, `note`, `reference`,
-- `account`, `key`, `request` and `statuses`. `version` is that of its last change, `number` counts all changes made so
-- far, and `before` is the version of the stock before the entry. Its changes have consecutive versions:
--   ;<versions before the entry's> <pet id> <quantity before> <quantity after> <status after> <version before>
-- where `-` stands for a missing value. `statuses` has a character for each change: the status before, or `-`. Only the
-- changes of one request share entries, because the other fields are most of the time and memory of an entry.
--
-- The stream has one consumer group, TRIM_POINT, which nobody reads. Its last id is that of the last entry that was
-- trimmed, so that `verify` sees whether older entries are missing. Without the group, nothing was trimmed.

-- How many entries one command reads. Each may have CHANGES_IN_ENTRY changes.
local ENTRIES_AT_ONCE = 10

-- Indexes of the values of some fields of an entry.
local BEFORE_AT = 4
local CHANGES_AT = 6
local NOTE_AT = 10
local REFERENCE_AT = 12
local STATUSES_AT = 20

local function changes_in(entry)
  return string.match(entry[2][CHANGES_AT], '^;(%d+)') + 1
end

-- Returns about how many bytes an entry has.
local function bytes_in(entry)
  local fields = entry[2]
  return 300 + #fields[CHANGES_AT] + #fields[NOTE_AT] + #fields[REFERENCE_AT]
end

-- Reads entries until they have `most` changes, or a few more. Returns the entries and about how many bytes they have.
--
-- command     XRANGE for the oldest first, XREVRANGE for the newest first
-- most_bytes  ends earlier if the entries have so many bytes, or a few more; nil for no such end
local function read_entries(command, changes_key, from, to, most, most_bytes)
  local found, count, bytes = {}, 0, 0
  while true do
    local entries = redis.call(command, changes_key, from, to, 'COUNT', ENTRIES_AT_ONCE)
    for i = 1, #entries do
      found[#found + 1] = entries[i]
      count = count + changes_in(entries[i])
      bytes = bytes + bytes_in(entries[i])
      if count >= most or most_bytes and bytes >= most_bytes then return found, bytes end
    end
    if #entries < ENTRIES_AT_ONCE then return found, bytes end
    from = '(' .. entries[#entries][1]
  end
end

-- Returns how many changes there are after a version, which is text, and entries with at least the first `most` of them,
-- oldest first. The first entry may begin with earlier changes. Returns nil when the version is neither that of a change in
-- the history nor the one before the oldest change: then the history may lack changes.
local function changes_after(newest_key, changes_key, version, most)
  local newest = redis.call('GET', newest_key) or '0-0'
  local now, made = string.match(newest, '^(%d+)-(%d+)$')
  if now == version then return { 0, {} } end
  -- The first entry that ends with this version or a later one.
  local entry = redis.call('XRANGE', changes_key, version .. '-0', '+', 'COUNT', '1')[1]
  if not entry then return nil end
  local last, number = string.match(entry[1], '^(%d+)-(%d+)$')
  local count = changes_in(entry)
  local after = math.min(last - version, count)
  if after == count and entry[2][BEFORE_AT] ~= version then return nil end
  local from = string.format('%.0f', version + 1)
  local entries = read_entries('XRANGE', changes_key, from, '+', most)
  return { made - number + after, entries }
end

-- Returns the id of the last entry of the history that was trimmed; nil when it is not known. A user of Redis that lacks
-- the command can read the history all the same.
local function trimmed_until(changes_key)
  if redis.call('EXISTS', changes_key) == 0 then return nil end
  for _, group in ipairs(redis.pcall('XINFO', 'GROUPS', changes_key)) do
    local fields = {}
    for i = 1, #group, 2 do
      fields[group[i]] = group[i + 1]
    end
    if fields.name == TRIM_POINT then return fields['last-delivered-id'] end
  end
end

-- Returns the changes after a version, oldest first.
--
-- KEYS  newest entry and changes of the stock
-- ARGV  version, most changes
-- Reply the result of changes_after
-- class: reads
local function changes_since()
  return changes_after(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]))
end

-- Returns the changes up to a version, newest first.
--
-- KEYS  items, pets, newest entry, changes
-- ARGV  version of the first change, or '' for the newest; most changes; most bytes
-- Reply entries of the stream, newest first, and about how many bytes they have. The first may end with later changes,
--       and the last may begin with changes beyond the limit.
-- class: reads
local function changes_before()
  local from, most = '+', tonumber(ARGV[2])
  if ARGV[1] ~= '' then
    -- If any entry has this version, it is the first that ends with this version or a later one.
    local entry = redis.call('XRANGE', stock.changes, ARGV[1] .. '-0', '+', 'COUNT', '1')[1]
    local later = entry and string.match(entry[1], '^%d+') - ARGV[1]
    if entry and later < changes_in(entry) then
      from = entry[1]
      -- Later changes of the entry are read too.
      most = most + later
    elseif entry then
      from = '(' .. entry[1]
    end
  end
  return { read_entries('XREVRANGE', stock.changes, from, '-', most, tonumber(ARGV[3])) }
end

-- Returns the changes after a version, oldest first, and the revocations in the meantime. One script reads both, so that
-- no change is seen before a revocation that was acknowledged before it was made.
--
-- KEYS  newest entry and changes of the stock, revocations
-- ARGV  version, most changes, position in the revocations or '' for their end
-- Reply the result of changes_after or nil, the new position, ids of revoked keys and accounts; '' if some may be missing
-- class: reads
local function watch_changes()
  local position, revoked = ARGV[3], {}
  -- Without the entry at the position, the stream was trimmed beyond it, or a failover of Redis has lost it.
  local is_known = position == '0-0'
  if position ~= '' then
    for _, entry in ipairs(redis.call('XRANGE', KEYS[3], position, '+')) do
      if entry[1] == position then
        is_known = true
      else
        revoked[#revoked + 1] = entry[2][2]
      end
      position = entry[1]
    end
    if not is_known then revoked = { '' } end
  end
  if not is_known then
    local newest = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', '1')[1]
    position = newest and newest[1] or '0-0'
  end
  return { changes_after(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2])) or false, position, revoked }
end

-- Returns the history of one pet, newest first: a linked list that begins at the version of the item.
--
-- KEYS  items, pets, newest entry, changes
-- ARGV  pet id, version to begin at or '' for the newest, most changes, most bytes to read
-- Reply the changes, each as a separate entry, and about how many bytes were read for them; nil when there is no such pet
-- class: reads
local function item_changes()
  local pet, most, most_bytes = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
  local item = read_item(pet)
  if not item then return nil end

  local bytes = 0

  -- Returns the change of a version as an entry with only this change, and the version of the pet's previous change.
  -- Returns nil when the history does not have the change, or it is for another pet.
  local function change_of(version)
    -- If any entry has this version, it is the first that ends with this version or a later one.
    local entry = redis.call('XRANGE', stock.changes, version .. '-0', '+', 'COUNT', '1')[1]
    if not entry then return nil end
    bytes = bytes + bytes_in(entry)
    local changes = entry[2][CHANGES_AT]
    local versions_before = string.match(entry[1], '^%d+') - version
    local prefix = ';' .. versions_before .. ' ' .. pet .. ' '
    local from, to = string.find(changes, prefix, 1, true)
    if not from then return nil end
    local rest, before = string.match(changes, '^([^;]* ([^ ;]+))', to + 1)
    entry[1] = version .. '-0'
    entry[2][CHANGES_AT] = ';0 ' .. pet .. ' ' .. rest
    local statuses = entry[2][STATUSES_AT]
    entry[2][STATUSES_AT] = string.sub(statuses, #statuses - versions_before, #statuses - versions_before)
    return entry, before
  end

  local entries = {}
  local version = ARGV[2] ~= '' and ARGV[2] or item.version
  while version ~= '-' and #entries < most and bytes < most_bytes do
    local entry, before = change_of(version)
    if not entry then break end
    entries[#entries + 1] = entry
    version = before
  end
  return { entries, bytes }
end

-- Returns the version after which the history has every change.
--
-- KEYS  items, pets, newest entry, changes
-- Reply the version, as text
-- class: reads
local function history_start()
  local oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', '1')[1]
  return oldest and oldest[2][BEFORE_AT] or (newest_change())
end

-- Returns how many changes the history has, and the time of the oldest one.
--
-- KEYS  items, pets, newest entry, changes
-- Reply the number; the time in milliseconds since the epoch, as text, '' when there is no change
-- class: reads
local function history_size()
  local oldest = redis.call('XRANGE', stock.changes, '-', '+', 'COUNT', '1')[1]
  if not oldest then return { 0, '' } end
  local _, number = newest_change()
  local before_oldest = string.match(oldest[1], '%d+$') - changes_in(oldest)
  return { tonumber(number) - before_oldest, oldest[2][2] }
end

-- Continues to trim the history.
--
-- KEYS, ARGV  as in change.lua, without requests
-- Reply       1 when there are more to remove, else nil
-- class: frees
local function trim_history()
  change.entries = 1
  trim()
  return change.is_lagging
end

-- Returns entries of the history after an entry, oldest first, and holds as they are now: those that the entries have changed,
-- and those that were confirmed lately, which no entry says.
--
-- KEYS  newest entry and changes of the stock, records and index of the holds (see hold-record.lua)
-- ARGV  id of the entry to begin after, or '' for the oldest; most changes, not counting the rest of an entry;
--       the place in the index of the holds to begin after, or '' for no holds; most holds from the index
-- Reply the id of the newest entry; the entries; the id of the last entry that was trimmed, '' when it is not known;
--       the place of holds that end now; the place to go on from, '' when the index has no more of them;
--       name and record of each hold, '' when it was deleted; the number of held units of all pets
-- class: reads
local function export_history()
  local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
  local newest = redis.call('GET', KEYS[1]) or '0-0'
  local entries = read_entries('XRANGE', KEYS[2], from, '+', tonumber(ARGV[2]))
  local now_at = string.format('t%015d', clock() + ENDED_HOLD_TTL)
  local more, holds = '', {}

  local function add(name)
    holds[#holds + 1] = name
    holds[#holds + 1] = redis.call('HGET', KEYS[3], name) or ''
  end

  if ARGV[3] ~= '' then
    for _, entry in ipairs(entries) do
      local reason, reference, account = entry[2][8], entry[2][12], entry[2][14]
      if reason == REASON_HOLD or reason == REASON_HOLD_ENDED then
        add(account .. '/' .. reference)
      end
    end
    -- If the clock was set back, older holds end later than now. They would be read again and again.
    local ended = redis.call('ZRANGEBYLEX', KEYS[4], '(' .. ARGV[3], '(' .. now_at .. '-', 'LIMIT', '0', ARGV[4])
    for _, member in ipairs(ended) do
      add(string.sub(member, 18))
    end
    more = #ended == tonumber(ARGV[4]) and ended[#ended] or ''
  end
  return { newest, entries, trimmed_until(KEYS[2]) or '', now_at, more, holds, redis.call('HGET', KEYS[3], 'units') or '0' }
end

-- Appends entries to the history as they were.
--
-- KEYS  changes
-- ARGV  how many texts each entry has; then for each entry: its id, and its field names and values, which alternate
-- class: stores
local function restore_history()
  local size = tonumber(ARGV[1])
  for at = 2, #ARGV, size do
    redis.call('XADD', KEYS[1], unpack(ARGV, at, at + size - 1))
  end
end
