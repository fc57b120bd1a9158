-- The changes since a list was read, oldest first, if the list is of this very history. After stock.lua.
--
-- version  of the list
-- fields   of the change that made it, joined by zero bytes
-- most     how many changes there may be
-- Returns '=' when nothing has changed, nil when the history does not have that change (any more), else
-- the version of the stock and the entries of the stream.
local function list_changes(version, fields, most)
  local base = version .. '-0'
  local function is_base(entry)
    return entry and entry[1] == base and table.concat(entry[2], '\0') == fields
  end
  -- Cheaper to find than the base itself, which it is as long as nothing has changed.
  if is_base(redis.call('XREVRANGE', stock.changes, '+', '-', 'COUNT', '1')[1]) then
    return '='
  end
  local entries = redis.call('XRANGE', stock.changes, base, '+', 'COUNT', most + 1)
  if not is_base(entries[1]) then
    return nil
  end
  table.remove(entries, 1)
  return { stock_version(), entries }
end
