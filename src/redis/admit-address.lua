-- Decides on requests without a valid key, one after the other, counted by where they come from.
--
-- KEYS  for each request: the address's windows
-- ARGV  the time in milliseconds, or '' for the server's; then for each request the limit of a minute
--       and that of a day
-- Reply the decisions, joined

local now = tonumber(ARGV[1]) or clock()
local decisions = {}
for i = 1, #KEYS do
  local limits = { tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1]) }
  decisions[i] = decide_request(KEYS[i], limits, now, 0)
end
return table.concat(decisions)
