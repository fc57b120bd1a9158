-- Remembers where the history begins, unless that is known. Earlier versions of the service have trimmed it
-- without a trace.
--
-- KEYS  changes of the stock
-- ARGV  none
-- Reply nothing

if trimmed_until(KEYS[1]) then
  return
end
local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', '1')[1]
if oldest then
  local before_oldest = string.match(oldest[1], '%d+$') - changes_in(oldest)
  local id = oldest[2][BEFORE_AT] .. '-' .. string.format('%.0f', before_oldest)
  redis.pcall('XGROUP', 'CREATE', KEYS[1], TRIM_POINT, id)
end
