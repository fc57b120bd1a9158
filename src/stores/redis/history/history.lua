-- The history: a stream whose entries have one or several changes each.
--
-- An entry `<version>-<number>` has the fields `time`, `before`, `changes`, `reason`, `note`, `reference`,
-- `account`, `key`, `request` and `statuses`. `version` is that of its last change, `number` counts all changes made so
-- far, and `before` is the version of the stock before the entry. Its changes have consecutive versions:
--   ;<versions before the entry's> <pet id> <quantity before> <quantity after> <status after> <version before>
-- where `-` stands for a missing value. `statuses` has a character for each change: the status before, or `-`.
-- The changes of one request share entries, because the other fields are most of the time and memory of an entry. Changes of
-- different requests never share one.
--
-- The stream has one consumer group, TRIM_POINT, which nobody reads. Its last id is that of the last entry that was
-- trimmed. So `verify` sees whether older entries are missing. It is a part of the stream, so a change needs no key for
-- it. Without the group, nothing was trimmed.

-- How many entries one command reads. Each may have CHANGES_IN_ENTRY changes.
local ENTRIES_AT_ONCE = 10

-- Indexes of the values of some fields of an entry.
local BEFORE_AT, CHANGES_AT, NOTE_AT, REFERENCE_AT, STATUSES_AT = 4, 6, 10, 12, 20

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
      if count >= most or most_bytes and bytes >= most_bytes then
        return found, bytes
      end
    end
    if #entries < ENTRIES_AT_ONCE then
      return found, bytes
    end
    from = '(' .. entries[#entries][1]
  end
end

-- Returns the changes after a version, oldest first.
--
-- newest_key, changes_key  keys of the stock
-- version  the version, as text
-- most     the most changes to read, not counting the rest of an entry
-- Returns the number of all changes after the version, and entries of the stream, of which the first may begin with
-- earlier changes. Returns nil when the version is neither that of a change in the history nor the one before the
-- oldest change: then the history may lack changes.
local function changes_after(newest_key, changes_key, version, most)
  local newest = redis.call('GET', newest_key) or '0-0'
  local now, made = string.match(newest, '^(%d+)-(%d+)$')
  if now == version then
    return { 0, {} }
  end
  -- The first entry that ends with this version or a later one.
  local entry = redis.call('XRANGE', changes_key, version .. '-0', '+', 'COUNT', '1')[1]
  if not entry then
    return nil
  end
  local last, number = string.match(entry[1], '^(%d+)-(%d+)$')
  local count = changes_in(entry)
  local after = math.min(last - version, count)
  if after == count and entry[2][BEFORE_AT] ~= version then
    return nil
  end
  local from = string.format('%.0f', version + 1)
  local entries = read_entries('XRANGE', changes_key, from, '+', most)
  return { made - number + after, entries }
end
