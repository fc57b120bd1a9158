-- import: history trim-point
--
-- Returns entries of the history after an entry, oldest first.
--
-- KEYS  newest entry and changes of the stock
-- ARGV  id of the entry to begin after, or '' for the oldest; most changes, not counting the rest of an entry
-- Reply the id of the newest entry, the entries, and the id of the last entry that was trimmed,
--       '' when it is not known

local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local newest = redis.call('GET', KEYS[1]) or '0-0'
return { newest, read_entries('XRANGE', KEYS[2], from, '+', tonumber(ARGV[2])), trimmed_until(KEYS[2]) or '' }
