-- Changes quantities of pets. Each request is decided separately.
--
-- Values  pet id, `set` or `add`, number, expected versions and quantity (see mismatch)
-- Outcome `changed <item>` or a refusal, and whether it was stored before (see outcome.lua)
-- class: stores
local function change_quantity()
  local function decide()
    local pet = value(1)
    local item = read_item(pet)
    if not item then return 'no_pet' end
    local refusal = mismatch(item.quantity, item.version, value(4), value(5))
    if refusal then return refusal end
    local quantity = value(3) + (value(2) == 'add' and item.quantity or 0)
    if quantity < 0 then
      return decide_after_due(pet, 'too_small ' .. whole(item.quantity), decide)
    end
    local held = quantity > item.quantity and held_units(pet) or 0
    if quantity > item.quantity and quantity + held > MAX_QUANTITY then
      return decide_after_due(pet, 'too_large ' .. whole(item.quantity) .. ' ' .. held, decide)
    end
    return 'changed ' .. write_item(pet, item, quantity, item.status)
  end

  return each_once(decide)
end
