-- class: reads
--
-- Returns orders of several accounts as they are stored, in ascending order of id.
--
-- KEYS  orders of each account
-- ARGV  the order of the first account to begin after, or '' for its first; most orders
-- Reply for each account that was read: its orders. The last of these accounts may have more if there are as many
--       orders as ARGV[2] says.

local lists, left = {}, tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local from = i == 1 and ARGV[1] ~= '' and '(' .. ARGV[1] or '-'
  lists[i] = redis.call('ZRANGEBYLEX', key, from, '+', 'LIMIT', 0, left)
  left = left - #lists[i]
  if left == 0 then
    break
  end
end
return lists
