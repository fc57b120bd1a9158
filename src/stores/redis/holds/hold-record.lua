-- Holds. A hash has the record of each hold by its name, `<account id>/<hold id>`:
--
--   <state>,<life>,<when it expires>,<when it ended>,<first order id>,<step>, and ` <pet id>:<quantity>` for each item
--
-- Its life is the version of the stock when it began. The orders of a confirmed hold have the ids from the first, each a
-- step after the other. The hash also has the held units of each pet as `p<pet id>`, those of all pets as `units`, and
-- how many holds became `confirmed`, `released` and `expired`.
--
-- The index is a sorted set whose members all have the score 0, so that they are ordered by their bytes. Numbers in it
-- have leading zeros.
--
--   t<time>,<name>             when an active hold expires, or when the record of an ended hold is deleted
--   p<pet id>,<time>,<name>    each pet of an active hold, and when the hold expires
--   a<account id>,<life>,<name> and a,<life>,<name>   active holds of an account, and of all accounts
--   d<account id>,<time>,<name>   active holds of an account, by when they expire
--   e<account id>,<life>,<name> and e,<life>,<name>   the same of ended holds

-- Returns functions on holds. They are made when a script needs them, because each takes time in every run.
local function hold_functions()
  local records, index = KEYS[6], KEYS[7]
  local counter_of = { [HOLD_CONFIRMED] = 'confirmed', [HOLD_RELEASED] = 'released', [HOLD_EXPIRED] = 'expired' }

  local function time_text(time)
    return string.format('%015d', time)
  end

  local function account_of(name)
    return string.match(name, '^[^/]+')
  end

  -- Returns the name at the end of a member of the index.
  local function name_of(member)
    return string.match(member, '[^,]*$')
  end

  -- Returns the members of the index that a hold has.
  local function members(hold)
    local list = hold.state == HOLD_ACTIVE and 'a' or 'e'
    local place = ',' .. string.rep('0', 16 - #hold.life) .. hold.life .. ',' .. hold.name
    local own = { list .. account_of(hold.name) .. place, list .. place }
    if hold.state ~= HOLD_ACTIVE then
      own[3] = 't' .. time_text(hold.ended + ENDED_HOLD_TTL) .. ',' .. hold.name
      return own
    end
    local at = time_text(hold.expires) .. ',' .. hold.name
    own[3], own[4] = 't' .. at, 'd' .. account_of(hold.name) .. ',' .. at
    for i, pet in ipairs(hold.pets) do
      own[4 + i] = 'p' .. padded(pet) .. ',' .. at
    end
    return own
  end

  -- Returns a hold; nil when there is no such record, and also `damaged` when it cannot be read.
  local function read(name)
    local text = redis.call('HGET', records, name)
    if not text then return nil end
    local state, life, expires, ended, order, step, items =
      string.match(text, '^([1-4]),(%d+),(%d+),(%d+),(%d+),(%d+)( %d+:%d+.*)$')
    if not state then return nil, 'damaged' end
    local hold = { name = name, state = state, life = life, expires = tonumber(expires), ended = tonumber(ended),
      order = order, step = step, items = items, pets = {}, quantities = {} }
    for pet, quantity in string.gmatch(items, ' (%d+):(%d+)') do
      hold.pets[#hold.pets + 1] = pet
      hold.quantities[#hold.pets] = tonumber(quantity)
    end
    return hold
  end

  local function record_of(hold)
    return string.format('%s,%s,%.0f,%.0f,%s,%s%s', hold.state, hold.life, hold.expires, hold.ended, hold.order,
      hold.step, hold.items)
  end

  -- Returns `costs <items>` if a call has more items than are paid for ('' for any number): those of the stored hold, which
  -- may be nil, or the wanted ones of the request if these are more.
  local function costs(paid, hold, wanted)
    local items = math.max(hold and #hold.pets or 0, wanted)
    return paid ~= '' and items > tonumber(paid) and 'costs ' .. items or nil
  end

  local function is_due(hold)
    return hold.state == HOLD_ACTIVE and hold.expires <= change.now
  end

  local function remove(hold)
    redis.call('ZREM', index, unpack(members(hold)))
    redis.call('HDEL', records, hold.name)
  end

  -- Stores a hold, of which `before` is the one before or nil, and how many more units of each pet are held.
  local function save(before, hold, pets, deltas)
    local counter = counter_of[hold.state]
    if before then redis.call('ZREM', index, unpack(members(before))) end
    local entries = {}
    for i, member in ipairs(members(hold)) do
      entries[2 * i - 1] = '0'
      entries[2 * i] = member
    end
    redis.call('ZADD', index, unpack(entries))

    local fields, sum = { 'units', counter }, 0
    local first = #fields
    for i, pet in ipairs(pets) do
      fields[first + i] = 'p' .. pet
      sum = sum + deltas[i]
    end
    local counts = redis.call('HMGET', records, unpack(fields))
    local values, ended = { hold.name, record_of(hold), 'units', whole((counts[1] or 0) + sum) }, {}
    if counter then values[5], values[6] = counter, whole((counts[2] or 0) + 1) end
    for i, delta in ipairs(deltas) do
      local field, units = fields[first + i], (counts[first + i] or 0) + delta
      if units > 0 then
        values[#values + 1] = field
        values[#values + 1] = whole(units)
      else
        ended[#ended + 1] = field
      end
    end
    redis.call('HSET', records, unpack(values))
    if #ended > 0 then redis.call('HDEL', records, unpack(ended)) end
  end

  -- Ends an active hold. The stock does not change here. `order` and `step` say the ids of its orders, if it has any.
  local function finish(hold, state, ended, order, step)
    local after = {}
    for name, value_before in pairs(hold) do
      after[name] = value_before
    end
    after.state, after.ended = state, ended
    after.order, after.step = order or hold.order, step or hold.step
    local deltas = {}
    for i, quantity in ipairs(hold.quantities) do
      deltas[i] = -quantity
    end
    save(hold, after, hold.pets, deltas)
    return after
  end

  -- Ends an active hold without orders: its units return to the stock. Pets that no longer exist are left out.
  local function return_units(hold, state, ended)
    for i, pet in ipairs(hold.pets) do
      local item = read_item(pet)
      if item then
        write_item(pet, item, math.min(item.quantity + hold.quantities[i], MAX_QUANTITY), item.status)
      end
    end
    return finish(hold, state, ended)
  end

  -- The same for a change that no request has asked for.
  local function return_unasked(hold, state, ended)
    local asked = { change.reason, change.note, change.reference, change.account, change.key, change.request }
    change.reason, change.note, change.reference = REASON_HOLD_ENDED, '', string.match(hold.name, '/(.*)$')
    change.account, change.key, change.request = account_of(hold.name), '', ''
    local after = return_units(hold, state, ended)
    change.reason, change.note, change.reference, change.account, change.key, change.request = unpack(asked)
    return after
  end

  local function expire(hold)
    change.expired = (change.expired or 0) + #hold.pets
    return return_unasked(hold, HOLD_EXPIRED, hold.expires)
  end

  -- Returns members of the index that begin with a text, up to an end.
  local function find(from, to, limit)
    return redis.call('ZRANGEBYLEX', index, '[' .. from, '(' .. to, 'LIMIT', 0, limit)
  end

  -- Whether there is an active hold of the account that would be one too many.
  local function are_full(account)
    local from = 'a' .. account
    return redis.call('ZLEXCOUNT', index, '[' .. from .. ',', '(' .. from .. '-') >= MAX_HOLDS
  end

  -- Whether this script call still has time for the end of a hold. A confirmation has less work than a return of units.
  local function has_time(hold, is_confirmed)
    local work = (change.work or 0) + (is_confirmed and 1 or 4) + #hold.pets
    if change.work and work > MOST_HOLD_WORK then return false end
    change.work = work
    return true
  end

  -- Whether a hold is due, or a record old enough to be deleted.
  local function has_due()
    return #find('t', 't' .. time_text(change.now + 1), 1) > 0
  end

  -- Ends due holds of a part of the index. In that of all holds, also deletes records that are old enough.
  -- Returns nil if there were none, `ended`, or `again` if more are due than one script call has time for.
  local function end_due_from(from, most)
    local found = find(from, from .. time_text(change.now + 1), most)
    for _, member in ipairs(found) do
      local hold = read(name_of(member))
      if not hold or from ~= 't' and not is_due(hold) then
        redis.call('ZREM', index, member)
      elseif not has_time(hold) then
        return 'again'
      elseif hold.state == HOLD_ACTIVE then
        expire(hold)
      else
        remove(hold)
      end
    end
    return #found == MOST_HOLD_WORK and 'again' or (#found > 0 and 'ended' or nil)
  end

  -- Ends the due holds of a pet. Without a pet, ends all due holds, and deletes records that are old enough.
  local function end_due(pet)
    return end_due_from(pet and 'p' .. padded(pet) .. ',' or 't', MOST_HOLD_WORK)
  end

  -- Ends the hold of an account that has been due longest, so that the account can have another one.
  local function end_oldest_due(account)
    return end_due_from('d' .. account .. ',', 1)
  end

  return { name_of = name_of, members = members, read = read, record_of = record_of, costs = costs, is_due = is_due, remove = remove,
    save = save, has_time = has_time, finish = finish, return_units = return_units, return_unasked = return_unasked,
    expire = expire, find = find, are_full = are_full, has_due = has_due, end_due = end_due,
      end_oldest_due = end_oldest_due }
end

-- A deleted account places no orders and holds no units for some time. `deleted_key` stores when it was deleted.
local function is_deleted_account(deleted_key)
  local deleted = redis.call('GET', deleted_key)
  return deleted and change.now - deleted < DELETED_ACCOUNT_TTL
end

-- Ends the due holds of a pet (see end_due_from).
local function end_due_holds(pet)
  return hold_functions().end_due(pet)
end

-- Returns how many units of a pet are held.
local function held_units(pet)
  return tonumber(redis.call('HGET', KEYS[6], 'p' .. pet) or 0)
end

-- Returns what a request comes to that lacks units of a pet: if due holds were ended, it is decided once more.
local function decide_after_due(pet, refusal, decide)
  local due = end_due_holds(pet)
  if not due then return refusal end
  return due == 'again' and 'again' or decide()
end

-- Returns how many units of each pet are held, false for none; nil if none are held of any pet.
local function held_of(pets)
  -- A shop without holds needs no other command.
  if tonumber(redis.call('HGET', KEYS[6], 'units') or 0) == 0 then return nil end
  local fields = {}
  for i, pet in ipairs(pets) do
    fields[i] = 'p' .. pet
  end
  return redis.call('HMGET', KEYS[6], unpack(fields))
end

-- Finds pets whose quantity would be too large together with their held units.
-- Returns their places; or nil and what end_due_holds has returned, when due holds of them were ended.
local function too_large_at(pets, quantities)
  local held, places = held_of(pets) or {}, {}
  for i, pet in ipairs(pets) do
    if held[i] and quantities[i] + held[i] > MAX_QUANTITY then
      local due = end_due_holds(pet)
      if due then return nil, due end
      places[#places + 1] = i
    end
  end
  return places
end
