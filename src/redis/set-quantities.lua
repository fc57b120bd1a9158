-- Sets the quantities of several pets, all or none.
--
-- Values  for each pet: pet id, quantity, versions and quantity expected (see refusal_of)
-- Answer  lines, and whether they were remembered (see answer.lua): `changed` and each item, or
--         `refused` and `<index from 0> <refusal>` of each that is in the way

local function decide()
  local items, refused, changed = {}, { 'refused' }, { 'changed' }
  for at = 1, request.values, 4 do
    local item = read_item(value(at))
    local refusal = refusal_of(item, value(at + 2), value(at + 3))
    if refusal then
      refused[#refused + 1] = whole((at - 1) / 4) .. ' ' .. refusal
    end
    items[at] = item
  end
  if #refused > 1 then
    return table.concat(refused, '\n')
  end
  for at = 1, request.values, 4 do
    local item = items[at]
    changed[#changed + 1] = write_item(value(at), item, tonumber(value(at + 1)), item.status)
  end
  return table.concat(changed, '\n')
end

return each_request(function()
  return answer_once(decide)
end)
