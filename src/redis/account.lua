-- An account's keys, as fields of its hash:
--   <hash>    the key's record (see key.lua)
--   i:<id>    <hash> <created at> <name>
-- After key.lua.

-- A key's hash, and the key; nil when there is no such key.
local function find_key(account, id)
  local info = redis.call('HGET', account, 'i:' .. id)
  local hash = info and string.match(info, '^%S+')
  local record = hash and redis.call('HGET', account, hash)
  if record then
    return hash, read_key(record)
  end
end

-- What the adapter reads a key from: id, info, record.
local function key_fields(account, id, hash)
  local fields = redis.call('HMGET', account, 'i:' .. id, hash)
  return { id, fields[1], fields[2] }
end

-- Forgets the keys that have ended. Called only when there is no room, so that it is rare.
local function forget_ended(account, now)
  local fields = redis.call('HGETALL', account)
  local records = {}
  for i = 1, #fields, 2 do
    records[fields[i]] = fields[i + 1]
  end
  for i = 1, #fields, 2 do
    local hash = string.match(fields[i], '^i:') and string.match(fields[i + 1], '^%S+')
    local record = hash and records[hash]
    if record and invalid_key(read_key(record), now) then
      redis.call('HDEL', account, fields[i], hash)
      redis.call('HINCRBY', account, 'keys', -1)
    end
  end
end

local function key_count(account)
  return tonumber(redis.call('HGET', account, 'keys') or 0)
end

-- Has the account no room for another key?
local function is_full(account, now)
  if key_count(account) < MAX_KEYS then
    return false
  end
  forget_ended(account, now)
  return key_count(account) >= MAX_KEYS
end

local function add_key(account, id, hash, name, scopes, expires, now)
  write_key(account, hash, {
    id = id, scopes = scopes, used = '0', expires = expires, revoked = 0, level = 0, banned = 0,
  })
  redis.call('HSET', account, 'i:' .. id, string.format('%s %.0f %s', hash, now, name))
  redis.call('HINCRBY', account, 'keys', 1)
end
