-- Adds a pet.
--
-- Values  pet id, quantity, status
-- Outcome the item; null when the pet exists already
-- class: stores
local function create_item()
  return each_request(function()
    local pet = value(1)
    return not read_item(pet) and write_item(pet, nil, tonumber(value(2)), value(3))
  end)
end

-- Sets the status of a pet.
--
-- Values  pet id, status
-- Outcome the item; null when there is no such pet
-- class: stores
local function update_item()
  return each_request(function()
    local pet = value(1)
    local item = read_item(pet)
    return item and write_item(pet, item, item.quantity, value(2))
  end)
end

-- Removes a pet.
--
-- Values  pet id
-- Outcome the item as it was; null when there is no such pet; `held` when units of it are held; `again`
-- class: frees
local function remove_item()
  local function decide()
    local pet = value(1)
    local item = read_item(pet)
    if not item then return nil end
    if held_units(pet) > 0 then return decide_after_due(pet, 'held', decide) end
    erase_item(pet, item)
    return whole(item.quantity) .. ',' .. item.status .. ',' .. item.version
  end

  return each_request(decide)
end

-- Adds pets, or sets quantity and status of existing ones.
--
-- Values  for each pet: pet id, quantity, status
-- Outcome how many were new, or `too_large` with ` <index from 0> <held units>` for the first MOST_REFUSALS, which is not
--         stored, because the pets can be put once the units are free; and whether it was stored before (see
--         decide_once)
-- class: stores
local function put_items()
  local function decide()
    local pets, quantities, statuses = {}, {}, {}
    for at = 1, request.values, 3 do
      pets[#pets + 1] = value(at)
      quantities[#quantities + 1] = value(at + 1)
      statuses[#statuses + 1] = value(at + 2)
    end
    local places, due = too_large_at(pets, quantities)
    if due then return due == 'again' and 'again' or decide() end
    if places[1] then
      local refused = 'too_large'
      for at = 1, math.min(#places, MOST_REFUSALS) do
        refused = refused .. ' ' .. places[at] - 1 .. ' ' .. held_units(pets[places[at]])
      end
      return refused, true
    end
    local items = redis.call('HMGET', stock.items, unpack(pets))
    local created = 0
    for _, item in ipairs(items) do
      created = created + (item and 0 or 1)
    end
    write_items(pets, items, quantities, statuses)
    return created
  end

  return each_once(decide)
end
