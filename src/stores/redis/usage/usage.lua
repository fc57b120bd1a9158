-- Adds the requests and bans that a process has counted. All keys are of one slot. Skips the requests of accounts that
-- were deleted.
--
-- KEYS  for each account and minute: the account, its requests of the day and of the hour, the partition's accounts by
--       requests of the day and by refused requests; then the index of bans for each ban
-- ARGV  how many accounts and minutes there are; for each of them the account id, the minute of the hour, how many
--       keys follow, and for each key its id and its admitted, limited and banned requests; then for each ban the key
--       id, when the ban began, and when it ends
-- Reply nothing
-- class: frees
local function add_usage()
  -- The names of fields end with these letters.
  local ADMITTED_FIELD, LIMITED_FIELD, BANNED_FIELD = 'a', 'l', 'b'
  local DAY_TTL, HOUR_TTL = STORED_DAYS * 86400, STORED_HOURS * 3600
  local TOP_TTL, BANS_TTL = 2 * 86400, 2 * 86400

  local next_arg = 2
  local function next_value()
    next_arg = next_arg + 1
    return ARGV[next_arg - 1]
  end

  -- Adds a number to a field. Returns whether the field is new.
  local function add(key, field, requests)
    if requests == '0' then return false end
    return redis.call('HINCRBY', key, field, requests) == tonumber(requests)
  end

  -- Adds to a field of the day. A new field that is one too many is removed, and its requests count as those of others.
  local function add_of_key(day, id, letter, requests)
    if not add(day, id .. letter, requests) then return end
    local size = redis.call('HLEN', day)
    if size == 1 then
      redis.call('EXPIRE', day, DAY_TTL)
    elseif size > MAX_USAGE_FIELDS and id ~= '' then
      redis.call('HDEL', day, id .. letter)
      redis.call('HINCRBY', day, letter, requests)
    end
  end

  local function add_to_minute(hour, minute, letter, requests)
    if requests ~= 0 and add(hour, minute .. letter, string.format('%.0f', requests))
      and redis.call('HLEN', hour) == 1 then
      redis.call('EXPIRE', hour, HOUR_TTL)
    end
  end

  local function add_to_top(top, account, requests)
    if requests > 0 and redis.call('ZINCRBY', top, requests, account) == tostring(requests)
      and redis.call('ZCARD', top) == 1 then
      redis.call('EXPIRE', top, TOP_TTL)
    end
  end

  local count = tonumber(ARGV[1])
  for at = 1, 5 * count, 5 do
    local exists = redis.call('EXISTS', KEYS[at]) == 1
    local account, minute = next_value(), next_value()
    local admitted, limited, banned = 0, 0, 0
    for _ = 1, tonumber(next_value()) do
      local id, a, l, b = next_value(), next_value(), next_value(), next_value()
      if exists then
        add_of_key(KEYS[at + 1], id, ADMITTED_FIELD, a)
        add_of_key(KEYS[at + 1], id, LIMITED_FIELD, l)
        add_of_key(KEYS[at + 1], id, BANNED_FIELD, b)
        admitted, limited, banned = admitted + a, limited + l, banned + b
      end
    end
    add_to_minute(KEYS[at + 2], minute, ADMITTED_FIELD, admitted)
    add_to_minute(KEYS[at + 2], minute, LIMITED_FIELD, limited)
    add_to_minute(KEYS[at + 2], minute, BANNED_FIELD, banned)
    add_to_top(KEYS[at + 3], account, admitted + limited + banned)
    add_to_top(KEYS[at + 4], account, limited + banned)
  end

  for at = 5 * count + 1, #KEYS do
    local id, since, till = next_value(), next_value(), next_value()
    -- Two of the bans that are over make room for each new one.
    local over = redis.call('ZRANGE', KEYS[at], '-inf', '(' .. since, 'BYSCORE', 'LIMIT', '0', '2')
    if #over > 0 then redis.call('ZREM', KEYS[at], unpack(over)) end
    redis.call('ZADD', KEYS[at], till, id)
    redis.call('EXPIRE', KEYS[at], BANS_TTL)
  end
end

-- Returns what is left of the limits of an account. Counts nothing.
--
-- KEYS  the account's windows
-- ARGV  the time in milliseconds, or '' for the clock of Redis; the limit of a minute and that of a day
-- Reply a decision, without its verdict's meaning
-- class: reads
local function read_quota()
  -- The end of a ban that never passes. A banned request is not counted, so its decision only reports the windows.
  local LATER = 2 ^ 47

  local limits = { tonumber(ARGV[2]), tonumber(ARGV[3]) }
  return (decide_request(KEYS[1], limits, tonumber(ARGV[1]) or clock(), LATER))
end
