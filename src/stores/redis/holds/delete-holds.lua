-- import: change hold
--
-- Ends holds of a deleted account, and deletes their records.
--
-- Values  account id
-- Outcome how many were deleted; 0 when there were no others

local holds = hold_functions()

return each_request(function()
  local deleted, items = 0, 0
  for _, list in ipairs({ 'a', 'e' }) do
    local from = list .. value(1)
    -- Names begin after a comma, the life and another comma.
    for _, member in ipairs(holds.find(from .. ',', from .. '-', MOST_HELD_ENDED)) do
      local hold = holds.read(string.sub(member, #from + 19))
      if items >= MOST_HELD_ENDED then
        break
      end
      if hold.state == HOLD_ACTIVE then
        hold = holds.return_unasked(hold, HOLD_RELEASED, 'released', change.now)
      end
      holds.remove(hold)
      deleted, items = deleted + 1, items + #hold.pets
    end
  end
  return deleted
end)
