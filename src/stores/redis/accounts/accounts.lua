-- The record of a key. It is a field in the hash of the account, whose name is the key's hash:
--   <key id> <scope mask> <minute of last use> <expires at> <revoked at> <level of ban> <banned until>
-- All but the id are numbers, 0 for none. Times are in milliseconds since the epoch. The scope mask of a key that is
-- restricted to networks has the bit RESTRICTED.

local function read_key(record)
  local id, scopes, used, expires, revoked, level, banned =
    string.match(record, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  return {
    id = id, scopes = scopes, used = used, expires = tonumber(expires), revoked = tonumber(revoked),
    level = tonumber(level), banned = tonumber(banned),
  }
end

-- Returns the record.
local function write_key(account, hash, key)
  local record = string.format('%s %s %s %.0f %.0f %.0f %.0f', key.id, key.scopes, key.used,
    key.expires, key.revoked, key.level, key.banned)
  redis.call('HSET', account, hash, record)
  return record
end

-- Returns the verdict on a revoked or expired key; nil when the key is valid.
local function invalid_key(key, now)
  if key.revoked > 0 then return REVOKED end
  return key.expires > 0 and now >= key.expires and EXPIRED or nil
end

-- An account's keys, as fields of its hash:
--   <hash>    the key's record (see accounts.lua)
--   i:<id>    <hash> <created at> <name>
--   a:<id>    the networks of a restricted key (see network.ts), joined by spaces

-- Returns a key's hash and the key; nil when the key does not exist.
local function find_key(account, id)
  local info = redis.call('HGET', account, 'i:' .. id)
  local hash = info and string.match(info, '^%S+')
  local record = hash and redis.call('HGET', account, hash)
  if record then return hash, read_key(record) end
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
  if key_count(account) < MAX_KEYS then return false end
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
  if networks and networks ~= '' then redis.call('HSET', account, 'a:' .. id, networks) end
  redis.call('HINCRBY', account, 'keys', 1)
end

-- Returns a page of the account ids, ordered by time of creation, then by id.
--
-- KEYS  index of the accounts
-- ARGV  most ids; then, except for the first page, the account to begin after and its time of creation
-- Reply ids and times of creation, which alternate
-- class: reads
local function list_accounts()
  local from = 0
  if ARGV[2] then
    -- Not the rank of the id: it may have been removed, or have got a later time.
    from = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[3])
    for _, id in ipairs(redis.call('ZRANGE', KEYS[1], ARGV[3], ARGV[3], 'BYSCORE')) do
      if id <= ARGV[2] then from = from + 1 end
    end
  end
  return redis.call('ZRANGE', KEYS[1], from, from + ARGV[1] - 1, 'WITHSCORES')
end

-- Puts an existing account back into the index, unless it was deleted.
--
-- KEYS  index of the accounts, deleted accounts
-- ARGV  account id, its time of creation
-- Reply `deleted`, `added`, or `there`
-- class: stores
local function list_account()
  if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 'deleted' end
  return redis.call('ZADD', KEYS[1], 'CH', ARGV[2], ARGV[1]) == 1 and 'added' or 'there'
end

-- Removes a deleted account from the index, and remembers that it was deleted. If a failover of the account's partition
-- undoes its deletion later, the account is deleted again.
--
-- KEYS  index of the accounts, deleted accounts
-- ARGV  time in milliseconds or '' for the clock of Redis, account id
-- Reply how many entries were removed
-- class: frees
local function unlist_account()
  local now = tonumber(ARGV[1]) or clock()
  -- Two of the oldest make room for each new one.
  local over = redis.call('ZRANGE', KEYS[2], '-inf', string.format('%.0f', now - REMEMBERED_DELETION), 'BYSCORE',
    'LIMIT', '0', '2')
  if #over > 0 then redis.call('ZREM', KEYS[2], unpack(over)) end
  redis.call('ZADD', KEYS[2], string.format('%.0f', now), ARGV[2])
  redis.call('PEXPIRE', KEYS[2], string.format('%.0f', REMEMBERED_DELETION))
  return redis.call('ZREM', KEYS[1], ARGV[2])
end

-- Deletes an account with its keys, windows and usage. The windows of refused requests expire by themselves.
--
-- KEYS  account, its windows, its requests of days and of hours; then the lists of the partition's top accounts
-- ARGV  account id; how many of these lists there are
-- Reply name, plan, time of creation, number of keys; nil when there is no such account
-- class: frees
local function remove_account()
  local fields = redis.call('HMGET', KEYS[1], 'name', 'plan', 'created', 'keys')
  if not fields[2] then return nil end
  local own = #KEYS - ARGV[2]
  redis.call('UNLINK', unpack(KEYS, 1, own))
  for i = own + 1, #KEYS do
    redis.call('ZREM', KEYS[i], ARGV[1])
  end
  return fields
end

-- Changes the plan, the write policy, the state or the name of an account, and leaves the others as they are.
--
-- KEYS  account
-- ARGV  a plan or ''; `strict`, `any` or ''; `disabled`, `enabled` or ''; `=` and a name or ''; time in milliseconds or ''
--       for the clock of Redis
-- Reply name, plan and time of creation; nil when there is no such account
-- class: frees
local function update_account()
  local before = redis.call('HGET', KEYS[1], 'plan')
  if not before then return nil end
  local state, policy = string.match(before, '^disabled %d+ ') or '', string.match(before, ' strict$') or ''
  local plan = ARGV[1] ~= '' and ARGV[1] or string.sub(before, #state + 1, -1 - #policy)
  if ARGV[2] ~= '' then policy = ARGV[2] == 'strict' and ' strict' or '' end
  if ARGV[3] == 'enabled' then
    state = ''
  elseif ARGV[3] == 'disabled' and state == '' then
    state = string.format('disabled %.0f ', tonumber(ARGV[5]) or clock())
  end
  redis.call('HSET', KEYS[1], 'plan', state .. plan .. policy)
  if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'name', string.sub(ARGV[4], 2)) end
  return redis.call('HMGET', KEYS[1], 'name', 'plan', 'created')
end
