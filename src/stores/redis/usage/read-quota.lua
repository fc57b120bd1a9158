-- import: clock window
-- class: reads
--
-- Returns what is left of the limits of an account. Counts nothing.
--
-- KEYS  the account's windows
-- ARGV  the time in milliseconds, or '' for the clock of Redis; the limit of a minute and that of a day
-- Reply a decision, without its verdict's meaning

-- The end of a ban that never passes. A banned request is not counted, so its decision only reports the windows.
local LATER = 2 ^ 47

local limits = { tonumber(ARGV[2]), tonumber(ARGV[3]) }
return (decide_request(KEYS[1], limits, tonumber(ARGV[1]) or clock(), LATER))
