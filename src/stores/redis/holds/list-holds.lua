-- import: clock
-- class: reads
--
-- Returns holds that began before a life, newest life first. Leaves out those that are not wanted.
--
-- KEYS  records, index (see hold.lua)
-- ARGV  time in milliseconds or '' for the clock of Redis; account id, or '' for all; life, or '' for the first page;
--       most holds to read; the wanted states; the wanted pet, or '' for any
-- Reply the time; the life to go on before, '' when there are no more; then name and record of each hold

local now, account, before = tonumber(ARGV[1]) or clock(), ARGV[2], ARGV[3]
local most, states, pet = tonumber(ARGV[4]), ARGV[5], ARGV[6]
local records, index = KEYS[1], KEYS[2]

local function wants(state)
  return string.find(states, state, 1, true) ~= nil
end

local function padded_life(life)
  return string.rep('0', 16 - #life) .. life
end

-- Returns the last holds of a list before the life: the life and the name of each, as one text.
local function last_of(list)
  local from = list .. account
  local to = before == '' and from .. '-' or from .. ',' .. padded_life(before)
  local found = {}
  for i, member in ipairs(redis.call('ZREVRANGEBYLEX', index, '(' .. to, '[' .. from .. ',', 'LIMIT', 0, most)) do
    found[i] = string.sub(member, #from + 2)
  end
  return found
end

-- Returns the names of all active holds with units of the pet; nil if they are too many to read at once.
local function names_of_pet()
  local from = 'p' .. string.rep('0', 19 - #pet) .. pet
  local members = redis.call('ZRANGEBYLEX', index, '[' .. from .. ',', '(' .. from .. '-', 'LIMIT', 0, most + 1)
  if #members > most then
    return nil
  end
  local names = {}
  for _, member in ipairs(members) do
    local name = string.match(member, '[^,]*$')
    if account == '' or string.sub(name, 1, #account + 1) == account .. '/' then
      names[#names + 1] = name
    end
  end
  return names
end

local is_active_only = not (wants(HOLD_CONFIRMED) or wants(HOLD_RELEASED) or wants(HOLD_EXPIRED))
local names, next_life = pet ~= '' and is_active_only and names_of_pet() or nil, ''
if not names then
  -- A due hold is in the list of active ones until a sweep.
  local found = (wants(HOLD_ACTIVE) or wants(HOLD_EXPIRED)) and last_of('a') or {}
  if not is_active_only then
    for _, each in ipairs(last_of('e')) do
      found[#found + 1] = each
    end
  end
  table.sort(found, function(a, b)
    return a > b
  end)
  names = {}
  for i = 1, math.min(#found, most) do
    names[i] = string.sub(found[i], 18)
  end
  if #found >= most then
    next_life = string.match(found[most], '^0*(%d+),')
  end
end

local holds = {}
local stored = #names > 0 and redis.call('HMGET', records, unpack(names)) or {}
for i, name in ipairs(names) do
  local record = stored[i]
  local state, life, expires = string.match(record or '', '^(%d),(%d+),(%d+),')
  if state then
    if state == HOLD_ACTIVE and tonumber(expires) <= now then
      state = HOLD_EXPIRED
    end
    local is_wanted = wants(state) and (pet == '' or string.find(record, ' ' .. pet .. ':', 1, true))
    if is_wanted and (before == '' or padded_life(life) < padded_life(before)) then
      holds[#holds + 1] = { padded_life(life), name, record }
    end
  end
end
-- The index of a pet has another order.
table.sort(holds, function(a, b)
  return a[1] > b[1]
end)
local reply = { string.format('%.0f', now), next_life }
for _, hold in ipairs(holds) do
  reply[#reply + 1] = hold[2]
  reply[#reply + 1] = hold[3]
end
return reply
