-- import: clock key account
-- class: frees
--
-- Revokes a key.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, key id
-- Reply the key's fields; nil when there is no such key

local account, id = KEYS[1], ARGV[2]
local hash, key = find_key(account, id)
if not key then
  return nil
end
if key.revoked == 0 then
  key.revoked = tonumber(ARGV[1]) or clock()
  write_key(account, hash, key)
end
return key_fields(account, id, hash)
