-- import: key
--
-- An account's keys, as fields of its hash:
--   <hash>    the key's record (see key.lua)
--   i:<id>    <hash> <created at> <name>
--   a:<id>    the networks of a restricted key (see network.ts), joined by spaces

-- Returns a key's hash and the key; nil when the key does not exist.
local function find_key(account, id)
  local info = redis.call('HGET', account, 'i:' .. id)
  local hash = info and string.match(info, '^%S+')
  local record = hash and redis.call('HGET', account, hash)
  if record then
    return hash, read_key(record)
  end
end

-- Returns the stored form of a key for the store: id, info, record, networks.
local function key_fields(account, id, hash)
  local fields = redis.call('HMGET', account, 'i:' .. id, hash, 'a:' .. id)
  return { id, fields[1], fields[2], fields[3] }
end

-- Deletes revoked and expired keys. It is slow, so it is only called when the account has the most keys.
local function delete_invalid(account, now)
  local fields = redis.call('HGETALL', account)
  local deleted = {}
  for i = 1, #fields, 2 do
    if #fields[i] == KEY_HASH_LENGTH then
      -- Like read_key, but faster, because there can be a thousand keys.
      local id, expires, revoked = string.match(fields[i + 1], '^(%S+) %d+ %d+ (%d+) (%d+) ')
      if revoked ~= '0' or expires ~= '0' and now >= tonumber(expires) then
        deleted[#deleted + 1] = fields[i]
        deleted[#deleted + 1] = 'i:' .. id
        deleted[#deleted + 1] = 'a:' .. id
      end
    end
  end
  if #deleted > 0 then
    redis.call('HDEL', account, unpack(deleted))
    redis.call('HINCRBY', account, 'keys', -#deleted / 3)
  end
end

local function key_count(account)
  return tonumber(redis.call('HGET', account, 'keys') or 0)
end

-- Returns whether the account cannot have another key.
local function is_full(account, now)
  if key_count(account) < MAX_KEYS then
    return false
  end
  delete_invalid(account, now)
  return key_count(account) >= MAX_KEYS
end

-- networks: those of a restricted key; otherwise '' or false
local function add_key(account, id, hash, name, scopes, expires, networks, now)
  write_key(account, hash, {
    id = id, scopes = scopes, used = '0', expires = expires, revoked = 0, level = 0, banned = 0,
  })
  -- Joined, because string.format cuts a name at a zero byte.
  redis.call('HSET', account, 'i:' .. id, hash .. string.format(' %.0f ', now) .. name)
  if networks and networks ~= '' then
    redis.call('HSET', account, 'a:' .. id, networks)
  end
  redis.call('HINCRBY', account, 'keys', 1)
end
