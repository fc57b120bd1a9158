-- import: stock change change-items due-holds refusal-list
--
-- Changes the quantities of several pets, all or none.
--
-- Values  for each pet: pet id, number, expected versions and quantity (see refusal_of)
-- Outcome whether it was stored before (see outcome.lua), and the values that are not in the request:
--         `changed <version of the first> <a digit for the status of each>`, or that of refusal-list.lua

-- Checks all changes and makes none.
--
-- are_deltas  whether the numbers of the request are added to the quantities, or replace them
-- Returns the outcome of a refusal, or nil if there is none; the stored items; the new quantities as text. If due holds
-- were ended, returns what end_due_holds has returned.
local function check_batch(pets, are_deltas)
  local items = redis.call('HMGET', stock.items, unpack(pets))
  local held = held_of(pets)
  local quantities = {}
  local refuse, refused = refusal_list()
  local due
  for i, item in ipairs(items) do
    local versions, expected, refusal = value(4 * i - 1), value(4 * i), nil
    quantities[i] = value(4 * i - 2)
    if not item then
      refusal = 'no_pet'
    elseif are_deltas or held or versions ~= '' or expected ~= '' then
      local quantity, version = string.match(item, '^(%d+),%d+,(%d+)$')
      local kind = mismatch(tonumber(quantity), version, versions, expected)
      local units = held and tonumber(held[i] or 0) or 0
      local after = (are_deltas and quantity or 0) + quantities[i]
      if kind then
        refusal = mismatch_text(kind, quantity, version)
      elseif after < 0 or after + units > MAX_QUANTITY then
        refusal = after < 0 and 'too_small ' .. quantity or 'too_large ' .. quantity .. ' ' .. units
        due = end_due_holds(pets[i]) or due
      end
      quantities[i] = whole(after)
    end
    if refusal then
      refuse(i, refusal)
    end
  end
  if due then
    return due
  end
  return refused(), items, quantities
end

-- Returns the outcome, and the new quantities if there was no refusal.
local function decide_batch(are_deltas)
  local pets = {}
  for at = 1, request.values, 4 do
    pets[#pets + 1] = value(at)
  end
  local refusal, items, quantities = check_batch(pets, are_deltas)
  if refusal == 'ended' then
    return decide_batch(are_deltas)
  end
  if refusal then
    return refusal
  end
  local statuses = {}
  local first = write_items(pets, items, quantities, statuses)
  return 'changed ' .. whole(first) .. ' ' .. table.concat(statuses), quantities
end
