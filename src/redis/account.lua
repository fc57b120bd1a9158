-- An account's keys, as fields of its hash:
--   k:<hash>  <key id> <scope mask> <expires at, 0 never> <revoked at, 0 not>
--   i:<id>    <hash> <created at> <name>
--   u:<hash>  minute of last use
--   b:<hash>  <level> <banned until>

local function key_hash(account, id)
  local info = redis.call('HGET', account, 'i:' .. id)
  return info and string.match(info, '^%S+')
end

-- What the adapter reads a key from: id, then the fields i, k, u, b.
local function key_fields(account, id, hash)
  local fields = redis.call('HMGET', account, 'i:' .. id, 'k:' .. hash, 'u:' .. hash, 'b:' .. hash)
  return { id, fields[1], fields[2], fields[3], fields[4] }
end

local function read_key(account, hash)
  local key = redis.call('HGET', account, 'k:' .. hash)
  return string.match(key, '^(%S+) (%d+) (%d+) (%d+)$')
end

local function write_key(account, hash, id, scopes, expires, revoked)
  redis.call('HSET', account, 'k:' .. hash,
    string.format('%s %s %.0f %.0f', id, scopes, tonumber(expires), tonumber(revoked)))
end

local function has_ended(account, hash, now)
  local _, _, expires, revoked = read_key(account, hash)
  return revoked ~= '0' or (expires ~= '0' and now >= tonumber(expires))
end

-- Forgets the keys that have ended. Called only when there is no room, so that it is rare.
local function forget_ended(account, now)
  local fields = redis.call('HGETALL', account)
  for i = 1, #fields, 2 do
    local id = string.match(fields[i], '^i:(.*)$')
    local hash = id and string.match(fields[i + 1], '^%S+')
    if hash and has_ended(account, hash, now) then
      redis.call('HDEL', account, 'i:' .. id, 'k:' .. hash, 'u:' .. hash, 'b:' .. hash)
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
  write_key(account, hash, id, scopes, expires, 0)
  redis.call('HSET', account, 'i:' .. id, string.format('%s %.0f %s', hash, now, name))
  redis.call('HINCRBY', account, 'keys', 1)
end
