-- import: stock change change-items hold due-holds deleted-account refusal-list
-- class: stores
--
-- Holds units, or replaces what an active hold has.
--
-- Keys    when the account was deleted
-- Values  hold id, milliseconds until it expires, paid items (see hold.lua), `new` to leave an active hold; for each item: pet id, quantity
-- Outcome `held <record>`; `no_account`, `costs <items>`, `ended <state>`, `active`, `limit`, `again`; or that of refusal-list.lua

local holds = hold_functions()

local function decide()
  if is_deleted_account(key(1)) then
    return 'no_account'
  end
  local name = change.account .. '/' .. value(1)
  local before = holds.read(name)
  local costs = holds.costs(value(3), before, (request.values - 4) / 2)
  if costs then
    return costs
  end
  if before and holds.is_due(before) then
    before = holds.expire(before)
  end
  if before and before.state == HOLD_CONFIRMED then
    return 'ended ' .. HOLD_CONFIRMED
  end
  local is_active = before and before.state == HOLD_ACTIVE
  if is_active and value(4) == 'new' then
    return 'active'
  end
  if not is_active and holds.are_full(change.account) then
    local due = holds.end_oldest_due(change.account)
    if not due then
      return 'limit'
    end
    return due == 'again' and 'again' or decide()
  end

  -- The pets of the request come first, then those that the hold had and does not want any more.
  local hold = { name = name, state = HOLD_ACTIVE, expires = change.now + value(2), ended = 0, order = '0', step = '0',
    items = '', pets = {}, quantities = {} }
  local pets, deltas, at = {}, {}, {}
  local items = {}
  for i = 5, request.values, 2 do
    local pet, quantity = value(i), tonumber(value(i + 1))
    pets[#pets + 1] = pet
    deltas[#pets], at[pet] = quantity, #pets
    hold.pets[#pets], hold.quantities[#pets] = pet, quantity
    items[#pets] = ' ' .. pet .. ':' .. value(i + 1)
  end
  hold.items = table.concat(items)
  if is_active then
    for i, pet in ipairs(before.pets) do
      if not at[pet] then
        pets[#pets + 1] = pet
        deltas[#pets], at[pet] = 0, #pets
      end
      deltas[at[pet]] = deltas[at[pet]] - before.quantities[i]
    end
  end

  local stored = redis.call('HMGET', stock.items, unpack(pets))
  local quantities = {}
  local refuse, refused = refusal_list()
  local has_ended = false
  for i, pet in ipairs(pets) do
    local item = stored[i]
    quantities[i] = item and tonumber(string.match(item, '^%d+')) - deltas[i]
    local refusal
    if i <= #hold.pets and not item then
      refusal = 'no_pet'
    elseif item and quantities[i] < 0 then
      local due = end_due_holds(pet)
      if due == 'again' then
        return 'again'
      end
      has_ended = has_ended or due ~= nil
      refusal = 'too_small ' .. whole(quantities[i] + deltas[i])
    end
    if refusal then
      refuse(i, refusal)
    end
  end
  if has_ended then
    return decide()
  end
  local outcome = refused()
  if outcome then
    return outcome
  end

  local changed, was, texts = {}, {}, {}
  for i, pet in ipairs(pets) do
    if stored[i] and deltas[i] ~= 0 then
      changed[#changed + 1] = pet
      was[#changed] = stored[i]
      texts[#changed] = whole(math.min(quantities[i], MAX_QUANTITY))
    end
  end
  local first = #changed > 0 and write_items(changed, was, texts, {})
  hold.life = is_active and before.life or whole(first)
  holds.save(before, hold, pets, deltas)
  return 'held ' .. holds.record_of(hold)
end

return each_request(decide)
