-- The changes since a list was read, oldest first, if the list is of this very history. After history.lua.
--
-- version_key, changes_key  of the stock
-- version  of the list
-- fields   of the entry that made it, joined by zero bytes
-- most     about how many changes are returned at most: there may be more after them
-- Returns '=' when nothing has changed, nil when the history does not have the change that made the list
-- (any more), else the version of the stock and the entries of the stream.
local function list_changes(version_key, changes_key, version, fields, most)
  local base = version .. '-0'
  local function is_base(entry)
    return entry and entry[1] == base and table.concat(entry[2], '\0') == fields
  end
  local latest = redis.call('GET', version_key) or '0'
  -- The newest entry is cheaper to find than one by its id.
  if latest == version and is_base(redis.call('XREVRANGE', changes_key, '+', '-', 'COUNT', '1')[1]) then
    return '='
  end
  if not is_base(redis.call('XRANGE', changes_key, base, base)[1]) then
    return nil
  end
  return { latest, read_entries('XRANGE', changes_key, '(' .. base, '+', tonumber(most)) }
end
