-- import: key account
-- class: frees
--
-- Lifts the ban of a key and resets its ban level.
--
-- KEYS  account
-- ARGV  key id
-- Reply the key's fields; nil when there is no such key

local account, id = KEYS[1], ARGV[1]
local hash, key = find_key(account, id)
if not key then
  return nil
end
key.level, key.banned = 0, 0
write_key(account, hash, key)
return key_fields(account, id, hash)
