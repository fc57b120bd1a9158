-- import: account
-- class: reads
--
-- Returns some keys of an account.
--
-- KEYS  account
-- ARGV  the ids of the keys
-- Reply the account's name; then for each key its fields, or nothing if there is no such key

local keys = { redis.call('HGET', KEYS[1], 'name') or '' }
for i = 1, #ARGV do
  local hash = find_key(KEYS[1], ARGV[i])
  keys[i + 1] = hash and key_fields(KEYS[1], ARGV[i], hash) or {}
end
return keys
