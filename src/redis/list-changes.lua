-- The changes since a list was read, oldest first, if the list is of this very history.
--
-- KEYS  items, pets, version, changes
-- ARGV  version of the list, fields of the change that made it, most changes
-- Reply '=' when nothing has changed, nil when the history does not have that change (any more), else
--       the version of the stock and the entries of the stream

local base = ARGV[1] .. '-0'
local entries = redis.call('XRANGE', stock.changes, base, '+', 'COUNT', ARGV[3] + 1)
if not entries[1] or entries[1][1] ~= base or table.concat(entries[1][2], '\0') ~= ARGV[2] then
  return nil
end
local version = stock_version()
if version == ARGV[1] then
  return '='
end
table.remove(entries, 1)
return { version, entries }
