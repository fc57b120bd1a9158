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
  if key.revoked > 0 then
    return REVOKED
  end
  return key.expires > 0 and now >= key.expires and EXPIRED or nil
end
