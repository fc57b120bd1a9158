-- import: stock history
-- class: reads
--
-- Returns the history of one pet, newest first. It is a linked list: it begins at the version of the item, and each
-- change has the version of the previous one.
--
-- KEYS  items, pets, newest entry, changes
-- ARGV  pet id, version to begin at or '' for the newest, most changes, most bytes to read
-- Reply the changes, each as a separate entry, and about how many bytes were read for them: each change is a part of an
--       entry. Nil when there is no such pet.

local pet, most, most_bytes = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local item = read_item(pet)
if not item then
  return nil
end

local bytes = 0

-- Returns the change of a version as an entry with only this change, and the version of the pet's previous change.
-- Returns nil when the history does not have the change, or it is for another pet.
local function change_of(version)
  -- If any entry has this version, it is the first that ends with this version or a later one.
  local entry = redis.call('XRANGE', stock.changes, version .. '-0', '+', 'COUNT', '1')[1]
  if not entry then
    return nil
  end
  bytes = bytes + bytes_in(entry)
  local changes = entry[2][CHANGES_AT]
  local versions_before = string.match(entry[1], '^%d+') - version
  local prefix = ';' .. versions_before .. ' ' .. pet .. ' '
  local from, to = string.find(changes, prefix, 1, true)
  if not from then
    return nil
  end
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
  if not entry then
    break
  end
  entries[#entries + 1] = entry
  version = before
end
return { entries, bytes }
