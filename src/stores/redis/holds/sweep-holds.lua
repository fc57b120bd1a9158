-- import: change hold
-- class: frees
--
-- Ends due holds, and deletes the records of holds that ended long ago. One process at a time does it.
--
-- Keys    the process that sweeps
-- Values  this process, how long it may be the one in milliseconds
-- Outcome how many quantities were changed, at least 1, if more are due, otherwise 0

local holds = hold_functions()

return each_request(function()
  -- A shop without due holds needs no write.
  if not holds.has_due() then
    return 0
  end
  local sweeper = redis.call('GET', key(1))
  if sweeper and sweeper ~= value(1) then
    return 0
  end
  redis.call('SET', key(1), value(1), 'PX', value(2))
  return holds.end_due() == 'again' and math.max(change.expired or 0, 1) or 0
end)
