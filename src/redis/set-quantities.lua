-- Sets the quantities of several pets, all or none.
--
-- KEYS  items, pets, version, changes; where the answer is remembered
-- ARGV  11 and on, for each pet: pet id, quantity, versions and quantity expected (see refusal_of)
-- Reply lines, and whether they were remembered: `changed` and each item, or `refused` and
--       `<index from 0> <refusal>` of each that is in the way

return answer_once(function()
  local items, refused, changed = {}, { 'refused' }, { 'changed' }
  for at = 11, #ARGV, 4 do
    local item = read_item(ARGV[at])
    local refusal = refusal_of(item, ARGV[at + 2], ARGV[at + 3])
    if refusal then
      refused[#refused + 1] = whole((at - 11) / 4) .. ' ' .. refusal
    end
    items[at] = item
  end
  if #refused > 1 then
    return table.concat(refused, '\n')
  end
  for at = 11, #ARGV, 4 do
    local item = items[at]
    changed[#changed + 1] = write_item(ARGV[at], item, tonumber(ARGV[at + 1]), item.status)
  end
  return table.concat(changed, '\n')
end)
