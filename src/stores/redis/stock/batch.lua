-- import: stock change change-items due-holds
--
-- Changes the quantities of several pets, all or none.
--
-- Values  for each pet: pet id, number, expected versions and quantity (see refusal_of)
-- Outcome whether it was stored before (see outcome.lua), and the values that are not in the request:
--         `changed <version of the first> <a digit for the status of each>`, or `refused <how many>` and
--         the first MOST_REFUSALS as `<index from 0> <refusal>`, each on its own line

-- Checks all changes and makes none.
--
-- are_deltas  whether the numbers of the request are added to the quantities, or replace them
-- Returns the outcome of a refusal, or nil if there is none; the stored items; the new quantities; the pets whose
-- quantity would be too small, or too large together with their held units.
local function check_batch(pets, are_deltas)
  local items = redis.call('HMGET', stock.items, unpack(pets))
  local all_held = all_held_units()
  local quantities, short = {}, {}
  local refusals, lines = 0, {}
  for i, item in ipairs(items) do
    local versions, expected, refusal = value(4 * i - 1), value(4 * i), nil
    quantities[i] = value(4 * i - 2)
    if not item then
      refusal = 'no_pet'
    elseif are_deltas or all_held > 0 or versions ~= '' or expected ~= '' then
      local quantity, version = string.match(item, '^(%d+),%d+,(%d+)$')
      local kind = mismatch(tonumber(quantity), version, versions, expected)
      local after = quantities[i] + (are_deltas and quantity or 0)
      if kind then
        refusal = mismatch_text(kind, quantity, version)
      elseif after < 0 then
        refusal = 'too_small ' .. quantity
      elseif after + all_held > MAX_QUANTITY and after > tonumber(quantity)
        and after + held_units(pets[i]) > MAX_QUANTITY then
        refusal = too_large(pets[i], quantity)
      end
      if refusal and not kind then
        short[#short + 1] = pets[i]
      end
      quantities[i] = after
    end
    if refusal then
      refusals = refusals + 1
      if refusals <= MOST_REFUSALS then
        lines[refusals] = '\n' .. i - 1 .. ' ' .. refusal
      end
    end
  end
  return refusals > 0 and 'refused ' .. refusals .. table.concat(lines), items, quantities, short
end

-- Returns the outcome, and the new quantities if there was no refusal. If due holds of pets were ended because their
-- quantities do not allow the changes, decides once more.
local function decide_batch(are_deltas)
  local pets = {}
  for at = 1, request.values, 4 do
    pets[#pets + 1] = value(at)
  end
  local refusal, items, quantities, short = check_batch(pets, are_deltas)
  local has_ended = false
  for _, pet in ipairs(short) do
    local due = end_due_holds(pet)
    if due == 'again' then
      return 'again'
    end
    has_ended = has_ended or due ~= nil
  end
  if has_ended then
    return decide_batch(are_deltas)
  end
  if refusal then
    return refusal
  end
  local statuses = {}
  local first = write_items(pets, items, quantities, statuses)
  return 'changed ' .. whole(first) .. ' ' .. table.concat(statuses), quantities
end
