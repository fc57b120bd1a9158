-- import: hold
--
-- What holds mean for other changes of the stock.

-- Ends the due holds of a pet (see end_due).
-- Returns nil if there were none, `ended`, or `again` if the request must be decided in another script call.
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
  if not due then
    return refusal
  end
  return due == 'again' and 'again' or decide()
end

-- Returns the refusal of a quantity that would be too large together with the held units of its pet.
local function too_large(pet, quantity)
  return 'too_large ' .. quantity .. ' ' .. held_units(pet)
end

-- Returns how many units of each pet are held, false for none; nil if none are held of any pet.
local function held_of(pets)
  -- A shop without holds needs no other command.
  if tonumber(redis.call('HGET', KEYS[6], 'units') or 0) == 0 then
    return nil
  end
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
      if due then
        return nil, due
      end
      places[#places + 1] = i
    end
  end
  return places
end
