-- Stores a key.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, key id, hash, name, scope mask, expires at or '' for never,
--       networks
-- Reply the key's fields, or `no_account`, `too_many_keys`, `expires_in_past`
-- class: stores
local function create_key()
  local account = KEYS[1]
  local now = tonumber(ARGV[1]) or clock()
  local id, hash, name, scopes, expires = ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
  if redis.call('HEXISTS', account, 'plan') == 0 then return 'no_account' end
  if expires and expires <= now then return 'expires_in_past' end
  if is_full(account, now) then return 'too_many_keys' end
  add_key(account, id, hash, name, scopes, expires or 0, ARGV[7], now)
  return key_fields(account, id, hash)
end

-- Stores a key with the name, scopes and networks of an old one, and sets the expiry of the old one. Without grace,
-- it revokes the old one.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, old key id, new key id, new hash, grace in milliseconds
-- Reply the fields of the new key and those of the old, or `no_key`, `not_valid`, `too_many_keys`
-- class: stores
local function rotate_key()
  local account = KEYS[1]
  local now = tonumber(ARGV[1]) or clock()
  local old_id, new_id, new_hash, grace = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
  local old_hash, old = find_key(account, old_id)
  if not old then return 'no_key' end
  if invalid_key(old, now) then return 'not_valid' end
  if is_full(account, now) then return 'too_many_keys' end
  local ends = now + grace
  old.expires = old.expires > 0 and math.min(ends, old.expires) or ends
  if grace == 0 then old.revoked = now end
  write_key(account, old_hash, old)
  local name = string.match(redis.call('HGET', account, 'i:' .. old_id), '^%S+ %d+ (.*)$')
  local networks = redis.call('HGET', account, 'a:' .. old_id)
  add_key(account, new_id, new_hash, name, old.scopes, 0, networks, now)
  return { key_fields(account, new_id, new_hash), key_fields(account, old_id, old_hash) }
end

-- Revokes a key.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, key id
-- Reply the key's fields; nil when there is no such key
-- class: frees
local function revoke_key()
  local account, id = KEYS[1], ARGV[2]
  local hash, key = find_key(account, id)
  if not key then return nil end
  if key.revoked == 0 then
    key.revoked = tonumber(ARGV[1]) or clock()
    write_key(account, hash, key)
  end
  return key_fields(account, id, hash)
end

-- Returns some keys of an account.
--
-- KEYS  account
-- ARGV  the ids of the keys
-- Reply the account's name; then for each key its fields, or nothing if there is no such key
-- class: reads
local function read_keys()
  local keys = { redis.call('HGET', KEYS[1], 'name') or '' }
  for i = 1, #ARGV do
    local hash = find_key(KEYS[1], ARGV[i])
    keys[i + 1] = hash and key_fields(KEYS[1], ARGV[i], hash) or {}
  end
  return keys
end

-- Checks whether keys of an account are valid, and the account enabled. Counts nothing.
--
-- KEYS  account
-- ARGV  time in milliseconds or '' for the clock of Redis, then the ids of the keys
-- Reply for each key a verdict, one byte, which is ADMITTED when the key is valid and the account enabled; then the time
--       when it expires, six bytes, 0 for never
-- class: reads
local function key_states()
  local plan = redis.call('HGET', KEYS[1], 'plan') or ''
  local valid = string.find(plan, '^disabled ') and DISABLED or ADMITTED
  local now = tonumber(ARGV[1]) or clock()
  local states = {}
  for i = 2, #ARGV do
    local _, key = find_key(KEYS[1], ARGV[i])
    local verdict = key and (invalid_key(key, now) or valid) or UNKNOWN
    states[i - 1] = struct.pack('>BI6', verdict, key and key.expires or 0)
  end
  return table.concat(states)
end

-- Says to all processes that a key was revoked, or an account disabled or deleted.
--
-- KEYS  revocations
-- ARGV  id of the key or account, how many revocations are stored at least
-- Reply nothing
-- class: frees
local function add_revocation()
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'id', ARGV[1])
end
