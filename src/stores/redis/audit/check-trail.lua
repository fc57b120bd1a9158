-- import: audit
-- class: reads
--
-- Compares the ends of the audit trail with its entries.
--
-- KEYS  ends and entries of the trail
-- ARGV  none
-- Reply what is wrong; nil when nothing is

local ADVICE = 'run inventory verify --repair, then compare its newest entry with your copy of the trail'

local size = redis.call('XLEN', KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return size > 0 and 'its ends are lost: ' .. ADVICE or nil
end
if entry_without_end(KEYS[1], KEYS[2]) then
  return 'its ends are damaged: ' .. ADVICE
end
local newest, _, time, oldest = audit_ends(KEYS[1])
if size ~= newest - oldest + 1 then
  return 'it has ' .. size .. ' entries, but should have those from ' .. decimal(oldest) .. ' to ' .. decimal(newest)
end
local fields = redis.call('HLEN', KEYS[1])
if size > 0 and fields ~= 5 then
  return 'its ends have ' .. fields .. ' fields, but should have 5'
end
local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
if last and tonumber(last[2][2]) ~= time then
  return 'its ends have another time than entry ' .. decimal(newest)
end
