-- import: clock
-- class: reads
--
-- Returns holds that began before a life, newest life first.
--
-- KEYS  records, index (see hold.lua)
-- ARGV  time in milliseconds or '' for the clock of Redis; account id, or '' for all; life, or '' for the first page;
--       most holds; which lists: `a` of active holds, `e` of ended ones, or both
-- Reply the time; then name and record of each hold. A page with ARGV[4] holds may not be the last one.

local now = tonumber(ARGV[1]) or clock()
local found = {}
for list in string.gmatch(ARGV[5], '.') do
  local from = list .. ARGV[2]
  local to = ARGV[3] == '' and from .. '-' or from .. ',' .. string.rep('0', 16 - #ARGV[3]) .. ARGV[3]
  for _, member in ipairs(redis.call('ZREVRANGEBYLEX', KEYS[2], '(' .. to, '[' .. from .. ',', 'LIMIT', 0, ARGV[4])) do
    -- The life and the name.
    found[#found + 1] = string.sub(member, #from + 2)
  end
end
table.sort(found, function(a, b)
  return a > b
end)
local names = {}
for i = 1, math.min(#found, ARGV[4]) do
  names[i] = string.sub(found[i], 18)
end
local reply = { string.format('%.0f', now) }
local held = #names > 0 and redis.call('HMGET', KEYS[1], unpack(names)) or {}
for i, name in ipairs(names) do
  reply[2 * i] = name
  reply[2 * i + 1] = held[i]
end
return reply
