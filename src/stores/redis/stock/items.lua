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

-- Changes quantities of pets. Each request is decided separately.
--
-- Values  pet id, `set` or `add`, number, expected versions and quantity (see refusal_of)
-- Outcome `changed <item>` or a refusal, and whether it was stored before (see outcome.lua)
-- class: stores
local function change_quantity()
  local function decide()
    local pet = value(1)
    local item = read_item(pet)
    local refusal = refusal_of(item, value(4), value(5))
    if refusal then return refusal end
    local quantity = value(3) + (value(2) == 'add' and item.quantity or 0)
    if quantity < 0 then
      return decide_after_due(pet, 'too_small ' .. whole(item.quantity), decide)
    end
    if quantity > item.quantity and quantity + held_units(pet) > MAX_QUANTITY then
      return decide_after_due(pet, too_large(pet, whole(item.quantity)), decide)
    end
    return 'changed ' .. write_item(pet, item, quantity, item.status)
  end

  return each_once(decide)
end

-- Sets the status of a pet.
--
-- Values  pet id, status
-- Outcome the item; null when there is no such pet
-- class: stores
local function set_status()
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
