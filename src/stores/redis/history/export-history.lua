-- import: clock history trim-point
-- class: reads
--
-- Returns entries of the history after an entry, oldest first. Also returns holds as they are now: those that the
-- entries have changed, and those that were confirmed lately, which no entry says.
--
-- KEYS  newest entry and changes of the stock, records and index of the holds (see hold.lua)
-- ARGV  id of the entry to begin after, or '' for the oldest; most changes, not counting the rest of an entry;
--       the place in the index of the holds to begin after, or '' for no holds; most holds from the index
-- Reply the id of the newest entry; the entries; the id of the last entry that was trimmed, '' when it is not known;
--       the place of holds that end now; the place to go on from, '' when the index has no more of them;
--       name and record of each hold, '' when it was deleted; the number of held units of all pets

local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local newest = redis.call('GET', KEYS[1]) or '0-0'
local entries = read_entries('XRANGE', KEYS[2], from, '+', tonumber(ARGV[2]))
local now_at = string.format('t%015d', clock() + ENDED_HOLD_TTL)
local more, holds = '', {}

local function add(name)
  holds[#holds + 1] = name
  holds[#holds + 1] = redis.call('HGET', KEYS[3], name) or ''
end

if ARGV[3] ~= '' then
  for _, entry in ipairs(entries) do
    local reason, reference, account = entry[2][8], entry[2][12], entry[2][14]
    if reason == REASON_HOLD or reason == REASON_HOLD_ENDED then
      add(account .. '/' .. reference)
    end
  end
  -- If the clock was set back, older holds end later than now. They would be read again and again.
  local ended = redis.call('ZRANGEBYLEX', KEYS[4], '(' .. ARGV[3], '(' .. now_at .. '-', 'LIMIT', '0', ARGV[4])
  for _, member in ipairs(ended) do
    add(string.sub(member, 18))
  end
  more = #ended == tonumber(ARGV[4]) and ended[#ended] or ''
end
return { newest, entries, trimmed_until(KEYS[2]) or '', now_at, more, holds, redis.call('HGET', KEYS[3], 'units') or '0' }
