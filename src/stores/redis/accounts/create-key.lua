-- import: clock account
-- class: stores
--
-- Stores a key.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, key id, hash, name, scope mask, expires at or '' for never,
--       networks
-- Reply the key's fields, or `no_account`, `too_many_keys`, `expires_in_past`

local account = KEYS[1]
local now = tonumber(ARGV[1]) or clock()
local id, hash, name, scopes, expires = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
if redis.call('HEXISTS', account, 'plan') == 0 then
  return 'no_account'
end
if expires and expires <= now then
  return 'expires_in_past'
end
if is_full(account, now) then
  return 'too_many_keys'
end
add_key(account, id, hash, name, scopes, expires or 0, ARGV[7], now)
return key_fields(account, id, hash)
