-- import: history trim-point
-- class: stores
--
-- Remembers where the history begins in data of earlier versions of the service, which have trimmed it without a trace.
-- In data with a run, this version has made changes since then. If it lacks the trim point, nothing was trimmed, or the
-- history was lost: marking it would hide the loss.
--
-- KEYS  changes of the stock, run of the server that made the newest change
-- ARGV  none
-- Reply nothing

if redis.call('EXISTS', KEYS[2]) == 1 or trimmed_until(KEYS[1]) then
  return
end
local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', '1')[1]
if oldest then
  local before_oldest = string.match(oldest[1], '%d+$') - changes_in(oldest)
  local id = oldest[2][BEFORE_AT] .. '-' .. string.format('%.0f', before_oldest)
  redis.pcall('XGROUP', 'CREATE', KEYS[1], TRIM_POINT, id)
end
