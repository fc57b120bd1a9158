-- import: clock key account
-- class: stores
--
-- Stores a key with the name, scopes and networks of an old one, and sets the expiry of the old one. Without grace,
-- it revokes the old one.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, old key id, new key id, new hash, grace in milliseconds
-- Reply the fields of the new key and those of the old, or `no_key`, `not_valid`, `too_many_keys`

local account = KEYS[1]
local now = tonumber(ARGV[1]) or clock()
local old_id, new_id, new_hash, grace = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local old_hash, old = find_key(account, old_id)
if not old then
  return 'no_key'
end
if invalid_key(old, now) then
  return 'not_valid'
end
if is_full(account, now) then
  return 'too_many_keys'
end
local ends = now + grace
old.expires = old.expires > 0 and math.min(ends, old.expires) or ends
if grace == 0 then
  old.revoked = now
end
write_key(account, old_hash, old)
local name = string.match(redis.call('HGET', account, 'i:' .. old_id), '^%S+ %d+ (.*)$')
local networks = redis.call('HGET', account, 'a:' .. old_id)
add_key(account, new_id, new_hash, name, old.scopes, 0, networks, now)
return { key_fields(account, new_id, new_hash), key_fields(account, old_id, old_hash) }
