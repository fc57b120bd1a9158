-- class: reads
--
-- Returns holds as they are stored, those that began first first.
--
-- KEYS  records and index (see hold.lua)
-- ARGV  entry of the index to begin after; most holds
-- Reply the last entry; then name and record of each hold, '' for an entry without a hold

local to = string.sub(ARGV[1], 1, 1) .. '-'
local entries = redis.call('ZRANGEBYLEX', KEYS[2], '(' .. ARGV[1], '(' .. to, 'LIMIT', '0', ARGV[2])
local reply = { entries[#entries] or '' }
for _, entry in ipairs(entries) do
  -- The name comes after the list, the life, and a comma after each.
  local name = string.sub(entry, 20)
  reply[#reply + 1] = name
  reply[#reply + 1] = redis.call('HGET', KEYS[1], name) or ''
end
return reply
