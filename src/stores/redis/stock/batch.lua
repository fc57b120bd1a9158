-- Returns two functions: one that adds the refusal of a pet, by its place in the request, and one that returns the outcome
-- `refused <how many>` with the first MOST_REFUSALS as `<index from 0> <refusal>`, each on its own line; nil for none.
local function refusal_list()
  local total, lines = 0, {}
  local function add(place, refusal)
    total = total + 1
    if total <= MOST_REFUSALS then lines[total] = '\n' .. place - 1 .. ' ' .. refusal end
  end
  local function outcome()
    return total > 0 and 'refused ' .. total .. table.concat(lines) or nil
  end
  return add, outcome
end

-- Sets quantity and status of several pets, each at most once.
--
-- items       the stored values, false for new pets
-- quantities  as text or numbers
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
  if #added > 0 then redis.call('ZADD', stock.pets, unpack(added)) end
  return before + 1
end

-- Checks all changes of quantities, which the numbers of the request replace, or to which they are added, and makes none.
-- Returns the outcome of a refusal, or nil if there is none; the stored items; the new quantities as text. If due holds were
-- ended, returns what end_due_holds has returned.
local function check_quantities(pets, are_deltas)
  local items = redis.call('HMGET', stock.items, unpack(pets))
  local held = held_of(pets)
  local quantities = {}
  local refuse, refused = refusal_list()
  local due
  for i, item in ipairs(items) do
    local versions, expected, refusal = value(4 * i), value(4 * i + 1), nil
    quantities[i] = value(4 * i - 1)
    if not item then
      refusal = 'no_pet'
    elseif are_deltas or held or versions ~= '' or expected ~= '' then
      local quantity, version = string.match(item, '^(%d+),%d+,(%d+)$')
      local units = held and tonumber(held[i] or 0) or 0
      local after = (are_deltas and quantity or 0) + quantities[i]
      refusal = mismatch(quantity, version, versions, expected)
      if not refusal and (after < 0 or after + units > MAX_QUANTITY) then
        refusal = after < 0 and 'too_small ' .. quantity or 'too_large ' .. quantity .. ' ' .. units
        due = end_due_holds(pets[i]) or due
      end
      quantities[i] = whole(after)
    end
    if refusal then refuse(i, refusal) end
  end
  if due then return due end
  return refused(), items, quantities
end

-- Changes the quantities of several pets, all or none.
--
-- Values  `set` or `add`; for each pet: pet id, number, expected versions and quantity (see mismatch)
-- Outcome whether it was stored before (see outcome.lua), and the values that are not in the request:
--         `changed <version of the first> <a digit for the status of each>`, for `add` also ` <new quantity>,…`; or that
--         of refusal_list
-- class: stores
local function change_quantities()
  local function decide()
    local pets, are_deltas = {}, value(1) == 'add'
    for at = 2, request.values, 4 do
      pets[#pets + 1] = value(at)
    end
    local refusal, items, quantities = check_quantities(pets, are_deltas)
    if refusal then return refusal == 'ended' and decide() or refusal end
    local statuses = {}
    local first = write_items(pets, items, quantities, statuses)
    local outcome = 'changed ' .. whole(first) .. ' ' .. table.concat(statuses)
    return are_deltas and outcome .. ' ' .. table.concat(quantities, ',') or outcome
  end

  return each_once(decide)
end

-- Ends the due holds of pets. Returns the held units of each pet, as held_of; or nil and `again`.
local function held_without_due(pets)
  local held = held_of(pets)
  if not held then return {} end
  local due, read = due_units(pets, held, change.now)
  local holds, has_ended = hold_functions(), false
  for i, pet in ipairs(pets) do
    if held[i] and (due[pet] or i > read) then
      local ended = holds.end_due(pet)
      if ended == 'again' then return nil, ended end
      has_ended = has_ended or ended ~= nil
    end
  end
  return has_ended and (held_of(pets) or {}) or held
end

-- Records how many units of pets were counted, all or none. Ends their due holds first.
--
-- Values  for each pet: pet id, counted units, expected units on hand or ''
-- Outcome whether it was stored before (see outcome.lua), and `changed <version of the first> <a digit for the status of
--         each> <quantity>,…`; or that of refusal_list
-- class: stores
local function count_units()
  local function decide()
    local pets = {}
    for at = 1, request.values, 3 do
      pets[#pets + 1] = value(at)
    end
    local held, again = held_without_due(pets)
    if again then return again end
    local items, quantities, statuses = redis.call('HMGET', stock.items, unpack(pets)), {}, {}
    local refuse, refused = refusal_list()
    for i, item in ipairs(items) do
      local counted, expected, units = tonumber(value(3 * i - 1)), value(3 * i), tonumber(held[i] or 0)
      local on_hand = item and string.match(item, '^%d+') + units
      if not item then
        refuse(i, 'no_pet')
      elseif expected ~= '' and tonumber(expected) ~= on_hand then
        refuse(i, 'on_hand_mismatch ' .. whole(on_hand))
      elseif counted < units then
        refuse(i, 'below_held ' .. whole(units))
      end
      quantities[i] = whole(counted - units)
    end
    local refusal = refused()
    if refusal then return refusal end
    local first = write_items(pets, items, quantities, statuses)
    return 'changed ' .. whole(first) .. ' ' .. table.concat(statuses) .. ' ' .. table.concat(quantities, ',')
  end

  return each_once(decide)
end
