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
  local ended = {}
  for i = 1, #fields, 2 do
    if #fields[i] == KEY_HASH_LENGTH then
      -- As read_key reads them, but for what is not needed of a thousand keys.
      local id, expires, revoked = string.match(fields[i + 1], '^(%S+) %d+ %d+ (%d+) (%d+) ')
      if revoked ~= '0' or expires ~= '0' and now >= tonumber(expires) then
        ended[#ended + 1] = fields[i]
        ended[#ended + 1] = 'i:' .. id
      end
    end
  end
  if #ended > 0 then
    redis.call('HDEL', account, unpack(ended))
    redis.call('HINCRBY', account, 'keys', -#ended / 2)
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
  -- Joined, because string.format cuts a name at a zero byte.
  redis.call('HSET', account, 'i:' .. id, hash .. string.format(' %.0f ', now) .. name)
  redis.call('HINCRBY', account, 'keys', 1)
end
