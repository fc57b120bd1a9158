-- import: stock history
-- class: reads
--
-- Returns the changes up to a version, newest first.
--
-- KEYS  items, pets, newest entry, changes
-- ARGV  version of the first change, or '' for the newest; most changes; most bytes
-- Reply entries of the stream, newest first, and about how many bytes they have. The first may end with later changes,
--       and the last may begin with changes beyond the limit.

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
