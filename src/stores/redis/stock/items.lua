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
