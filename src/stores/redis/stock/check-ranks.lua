-- class: stores
--
-- Compares the requests of an account on a day with the lists of the partition's top accounts.
--
-- KEYS  the account's requests of the day; the partition's accounts by requests, and by refused requests
-- ARGV  account id; `check`, or `repair` to raise its scores
-- Reply 1 when a score is too low

local all, refused = 0, 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local count = tonumber(fields[i + 1]) or 0
  all = all + count
  if string.sub(fields[i], -1) ~= 'a' then
    refused = refused + count
  end
end
local is_low = nil
for i, sum in ipairs({ all, refused }) do
  if sum > tonumber(redis.call('ZSCORE', KEYS[i + 1], ARGV[1]) or 0) then
    is_low = 1
    if ARGV[2] == 'repair' then
      redis.call('ZADD', KEYS[i + 1], string.format('%.0f', sum), ARGV[1])
      redis.call('EXPIRE', KEYS[i + 1], 2 * 86400, 'NX')
    end
  end
end
return is_low
