-- The history of one pet, newest first: a chain that begins at the version of the item, where each
-- change names the one before.
--
-- KEYS  items, pets, version, changes
-- ARGV  pet id, version to begin at or '' for the newest, most changes
-- Reply the entries of the stream; nil when there is no such pet

local item = read_item(ARGV[1])
if not item then
  return nil
end
local entries = {}
local version = ARGV[2] ~= '' and ARGV[2] or item.version
while version ~= '' and #entries < tonumber(ARGV[3]) do
  local id = version .. '-0'
  local entry = redis.call('XRANGE', stock.changes, id, id)[1]
  -- The second field is the pet, the sixth its version before.
  if not entry or entry[2][4] ~= ARGV[1] then
    break
  end
  entries[#entries + 1] = entry
  version = entry[2][12]
end
return entries
