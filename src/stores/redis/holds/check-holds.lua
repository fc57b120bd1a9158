-- import: change hold
-- class: stores
--
-- Compares holds with the entries of the index.
--
-- Values  `check`, or `repair` to mend what is found; then names of holds, and entries of the index
-- Outcome the holds of which the index lacks an entry or has one in a wrong place, and the entries that no hold has

local holds = hold_functions()

return each_request(function()
  local found, is_repair = {}, value(1) == 'repair'
  for i = 2, request.values do
    local asked = value(i)
    local name = holds.name_of(asked)
    local hold = holds.read(name)
    local has_entry, lacks_entry = false, false
    for _, member in ipairs(hold and holds.members(hold) or {}) do
      has_entry = has_entry or member == asked
      if asked == name and redis.call('ZSCORE', KEYS[7], member) ~= '0' then
        lacks_entry = true
        if is_repair then
          redis.call('ZADD', KEYS[7], '0', member)
        end
      end
    end
    if asked ~= name and not has_entry and redis.call('ZSCORE', KEYS[7], asked) then
      lacks_entry = true
      if is_repair then
        redis.call('ZREM', KEYS[7], asked)
      end
    end
    if lacks_entry then
      found[#found + 1] = asked
    end
  end
  return found
end)
