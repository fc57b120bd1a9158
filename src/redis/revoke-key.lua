-- Ends a key.
--
-- KEYS  account
-- ARGV  time or '', key id
-- Reply the key's fields; nil when there is no such key

local account, id = KEYS[1], ARGV[2]
local hash = key_hash(account, id)
if not hash then
  return nil
end
local _, scopes, expires, revoked = read_key(account, hash)
if revoked == '0' then
  write_key(account, hash, id, scopes, expires, tonumber(ARGV[1]) or clock())
end
return key_fields(account, id, hash)
