-- import: stock change
--
-- Changes many items in one step. It is a separate file because it would slow down scripts
-- that change one item.

-- Sets quantity and status of several pets, each at most once.
--
-- items       the stored values, false for new pets
-- quantities  as text or numbers, which Lua converts exactly
-- statuses    a missing one is filled in with the item's status
-- Returns the version of the first change; the others follow in order.
local function write_items(pets, items, quantities, statuses)
  local count = #pets
  local before = next_version() - 1
  local fields, added = {}, {}
  for first = 1, count, CHANGES_IN_ENTRY do
    local last = math.min(first + CHANGES_IN_ENTRY - 1, count)
    local changes, statuses_before = {}, {}
    for i = first, last do
      local pet, status, was, own, version = pets[i], statuses[i], '-', nil, '-'
      if items[i] then
        was, own, version = string.match(items[i], '^(%d+),(%d+),(%d+)$')
      else
        added[#added + 1] = '0'
        added[#added + 1] = padded(pet)
      end
      status = status or own
      statuses[i] = status
      fields[2 * i - 1] = pet
      fields[2 * i] = quantities[i] .. ',' .. status .. ',' .. whole(before + i)
      statuses_before[i - first + 1] = own or '-'
      changes[i - first + 1] = change_text(last - i, pet, was, quantities[i], status, version)
    end
    append_entry(before + last, last - first + 1, table.concat(changes), table.concat(statuses_before))
  end
  redis.call('HSET', stock.items, unpack(fields))
  if #added > 0 then
    redis.call('ZADD', stock.pets, unpack(added))
  end
  return before + 1
end
