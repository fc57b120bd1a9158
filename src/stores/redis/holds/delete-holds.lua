-- import: change hold
-- class: frees
--
-- Ends holds of a deleted account, and deletes their records.
--
-- Values  account id
-- Outcome how many were deleted; 0 when there were no others

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
