-- Holds units, or replaces what an active hold has.
--
-- Keys    when the account was deleted
-- Values  hold id, milliseconds until it expires, paid items (see hold-record.lua), `new` to leave an active hold; for each item: pet id, quantity
-- Outcome `held <record>`; `no_account`, `costs <items>`, `ended <state>`, `active`, `limit`, `again`; or that of refusal_list
-- class: stores
local function put_hold()
  local holds = hold_functions()

  local function decide()
    if is_deleted_account(key_at(1)) then return 'no_account' end
    local name = change.account .. '/' .. value(1)
    local before = holds.read(name)
    local costs = holds.costs(value(3), before, (request.values - 4) / 2)
    if costs then return costs end
    if before and holds.is_due(before) then before = holds.expire(before) end
    if before and before.state == HOLD_CONFIRMED then return 'ended ' .. HOLD_CONFIRMED end
    local is_active = before and before.state == HOLD_ACTIVE
    if is_active and value(4) == 'new' then return 'active' end
    if not is_active and holds.are_full(change.account) then
      local due = holds.end_oldest_due(change.account)
      if not due then return 'limit' end
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
        if due == 'again' then return 'again' end
        has_ended = has_ended or due ~= nil
        refusal = 'too_small ' .. whole(quantities[i] + deltas[i])
      end
      if refusal then refuse(i, refusal) end
    end
    if has_ended then return decide() end
    local outcome = refused()
    if outcome then return outcome end

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
end

-- Reads the hold that a request names by its first value. Returns it, and the outcome of a refusal: when there is no such
-- readable hold, or when the request has not paid for its items.
local function named_hold(holds)
  local hold, damaged = holds.read(change.account .. '/' .. value(1))
  if not hold then return nil, damaged or 'no_hold' end
  return hold, holds.costs(value(2), hold, 0)
end

-- Places an order for each item of an active hold. The stock does not change.
--
-- Keys    those of an order (see place_order in orders.lua)
-- Values  hold id, paid items (see hold-record.lua), random microseconds, random step, most open orders or ''
-- Outcome `held <record>`, `no_account`, `no_hold`, `damaged`, `costs <items>`, `ended <state>`, `limit`, `again`
-- class: stores
local function confirm_hold()
  local holds = hold_functions()

  return each_request(function()
    if is_deleted_account(key_at(4)) then return 'no_account' end
    local hold, refusal = named_hold(holds)
    if refusal then return refusal end
    if not holds.has_time(hold, true) then return 'again' end
    if holds.is_due(hold) then hold = holds.expire(hold) end
    if hold.state == HOLD_ACTIVE then
      local count = #hold.pets
      if are_too_many(key_at(1), key_at(5), count, value(5)) then return 'limit' end
      local first = next_order_ids(key_at(2), value(3), value(4), count)
      for i, pet in ipairs(hold.pets) do
        add_order(key_at(1), key_at(3), change.account, whole(first + (i - 1) * value(4)), pet, hold.quantities[i],
          value(1))
      end
      hold = holds.finish(hold, HOLD_CONFIRMED, change.now, whole(first), value(4))
    end
    if hold.state ~= HOLD_CONFIRMED then return 'ended ' .. hold.state end
    return 'held ' .. holds.record_of(hold)
  end)
end

-- Ends a hold without orders.
--
-- Values  hold id, paid items (see hold-record.lua)
-- Outcome `held <record>`, `no_hold`, `damaged`, `costs <items>`, `ended <state>`, `again`
-- class: frees
local function release_hold()
  local holds = hold_functions()

  return each_request(function()
    local hold, refusal = named_hold(holds)
    if refusal then return refusal end
    if hold.state == HOLD_CONFIRMED then return 'ended ' .. hold.state end
    if not holds.has_time(hold) then return 'again' end
    if holds.is_due(hold) then
      hold = holds.expire(hold)
    elseif hold.state == HOLD_ACTIVE then
      hold = holds.return_units(hold, HOLD_RELEASED, change.now)
    end
    return 'held ' .. holds.record_of(hold)
  end)
end

-- Ends due holds, and deletes the records of holds that ended long ago. One process at a time does it.
--
-- Keys    the process that sweeps
-- Values  this process, how long it may be the one in milliseconds
-- Outcome how many quantities were changed, at least 1, if more are due, otherwise 0
-- class: frees
local function sweep_holds()
  local holds = hold_functions()

  return each_request(function()
    -- A shop without due holds needs no write.
    if not holds.has_due() then return 0 end
    local sweeper = redis.call('GET', key_at(1))
    if sweeper and sweeper ~= value(1) then return 0 end
    redis.call('SET', key_at(1), value(1), 'PX', value(2))
    return holds.end_due() == 'again' and math.max(change.expired or 0, 1) or 0
  end)
end

-- Returns a hold.
--
-- KEYS  records (see hold-record.lua)
-- ARGV  time in milliseconds or '' for the clock of Redis; name
-- Reply the time, and the record; null when there is none
-- class: reads
local function read_hold()
  local now = tonumber(ARGV[1]) or clock()
  return { string.format('%.0f', now), redis.call('HGET', KEYS[1], ARGV[2]) }
end

-- Returns holds that began before a life, newest life first. Leaves out those that are not wanted.
--
-- KEYS  records, index (see hold-record.lua)
-- ARGV  time in milliseconds or '' for the clock of Redis; account id, or '' for all; life, or '' for the first page;
--       most holds to read; the wanted states; the wanted pet, or '' for any
-- Reply the time; the life to go on before, '' when there are no more; then name and record of each hold
-- class: reads
local function list_holds()
  local now, account, before = tonumber(ARGV[1]) or clock(), ARGV[2], ARGV[3]
  local most, states, pet = tonumber(ARGV[4]), ARGV[5], ARGV[6]
  local records, index = KEYS[1], KEYS[2]

  local function wants(state)
    return string.find(states, state, 1, true) ~= nil
  end

  local function padded_life(life)
    return string.rep('0', 16 - #life) .. life
  end

  -- Returns the last holds of a list before the life: the life and the name of each, as one text.
  local function last_of(list)
    local from = list .. account
    local to = before == '' and from .. '-' or from .. ',' .. padded_life(before)
    local found = {}
    for i, member in ipairs(redis.call('ZREVRANGEBYLEX', index, '(' .. to, '[' .. from .. ',', 'LIMIT', 0, most)) do
      found[i] = string.sub(member, #from + 2)
    end
    return found
  end

  -- Returns the names of all active holds with units of the pet; nil if they are too many to read at once.
  local function names_of_pet()
    local from = 'p' .. string.rep('0', 19 - #pet) .. pet
    local members = redis.call('ZRANGEBYLEX', index, '[' .. from .. ',', '(' .. from .. '-', 'LIMIT', 0, most + 1)
    if #members > most then return nil end
    local names = {}
    for _, member in ipairs(members) do
      local name = string.match(member, '[^,]*$')
      if account == '' or string.sub(name, 1, #account + 1) == account .. '/' then
        names[#names + 1] = name
      end
    end
    return names
  end

  local is_active_only = not (wants(HOLD_CONFIRMED) or wants(HOLD_RELEASED) or wants(HOLD_EXPIRED))
  local names, next_life = pet ~= '' and is_active_only and names_of_pet() or nil, ''
  if not names then
    -- A due hold is in the list of active ones until a sweep.
    local found = (wants(HOLD_ACTIVE) or wants(HOLD_EXPIRED)) and last_of('a') or {}
    if not is_active_only then
      for _, each in ipairs(last_of('e')) do
        found[#found + 1] = each
      end
    end
    table.sort(found, function(a, b)
      return a > b
    end)
    names = {}
    for i = 1, math.min(#found, most) do
      names[i] = string.sub(found[i], 18)
    end
    if #found >= most then next_life = string.match(found[most], '^0*(%d+),') end
  end

  local holds = {}
  local stored = #names > 0 and redis.call('HMGET', records, unpack(names)) or {}
  for i, name in ipairs(names) do
    local record = stored[i]
    local state, life, expires = string.match(record or '', '^([1-4]),(%d+),(%d+),%d+,%d+,%d+ %d+:%d+')
    if record and not state then
      holds[#holds + 1] = { '', name, record } -- The service reports that it is damaged.
    elseif record then
      if state == HOLD_ACTIVE and tonumber(expires) <= now then state = HOLD_EXPIRED end
      local is_wanted = wants(state) and (pet == '' or string.find(record, ' ' .. pet .. ':', 1, true))
      if is_wanted and (before == '' or padded_life(life) < padded_life(before)) then
        holds[#holds + 1] = { padded_life(life), name, record }
      end
    end
  end
  -- The index of a pet has another order.
  table.sort(holds, function(a, b)
    return a[1] > b[1]
  end)
  local reply = { string.format('%.0f', now), next_life }
  for _, hold in ipairs(holds) do
    reply[#reply + 1] = hold[2]
    reply[#reply + 1] = hold[3]
  end
  return reply
end

-- Ends holds of a deleted account, and deletes their records.
--
-- Values  account id
-- Outcome how many were deleted; 0 when there were no others
-- class: frees
local function delete_holds()
  local holds = hold_functions()

  return each_request(function()
    local deleted = 0
    for _, list in ipairs({ 'a', 'e' }) do
      local from = list .. value(1)
      for _, member in ipairs(holds.find(from .. ',', from .. '-', MOST_HOLD_WORK)) do
        local hold = holds.read(holds.name_of(member))
        if not hold then
          redis.call('ZREM', KEYS[7], member)
        elseif not holds.has_time(hold) then
          return deleted
        else
          if hold.state == HOLD_ACTIVE then
            hold = holds.return_unasked(hold, HOLD_RELEASED, change.now)
          end
          holds.remove(hold)
        end
        deleted = deleted + 1
      end
    end
    return deleted
  end)
end

-- Writes holds as they were, with their entries in the index, and counts them.
--
-- Values  name and record of each hold
-- Outcome nothing
-- class: stores
local function restore_holds()
  local holds = hold_functions()

  return each_request(function()
    for i = 1, request.values, 2 do
      if redis.call('HEXISTS', KEYS[6], value(i)) == 0 then
        redis.call('HSET', KEYS[6], value(i), value(i + 1))
        local hold = holds.read(value(i))
        local is_active = hold.state == HOLD_ACTIVE
        holds.save(nil, hold, is_active and hold.pets or {}, is_active and hold.quantities or {})
      end
    end
  end)
end
