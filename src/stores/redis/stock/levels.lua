-- Levels of the stock. A due hold counts as ended, whether its units have returned or not.

-- The most due holds that one call reads, with all of their items, or with one item each. It takes Redis less than a
-- millisecond.
local MOST_DUE_READ = 20
local MOST_DUE_OF_PETS = 100

-- Returns the members of a part of the index of holds that are due: at most one more than a number.
local function due_in(from, now, most)
  return redis.call('ZRANGEBYLEX', KEYS[7], '[' .. from, '(' .. from .. string.format('%015d', now + 1), 'LIMIT', 0, most + 1)
end

-- Adds the units of due holds to sums by pet: those of one pet, or of all pets if `own` is nil.
local function add_due(sums, members, now, own)
  if #members == 0 then return end
  local names = {}
  for i, member in ipairs(members) do
    names[i] = string.match(member, '[^,]*$')
  end
  local pattern = own and ' (' .. own .. '):(%d+)' or ' (%d+):(%d+)'
  for _, record in ipairs(redis.call('HMGET', KEYS[6], unpack(names))) do
    local state, expires, items = string.match(record or '', '^([1-4]),%d+,(%d+),%d+,%d+,%d+( .*)$')
    if state == HOLD_ACTIVE and tonumber(expires) <= now then
      for pet, quantity in string.gmatch(items, pattern) do
        sums[pet] = (sums[pet] or 0) + quantity
      end
    end
  end
end

-- Returns how many of the held units of pets are due, by pet, and how many of the pets it has read: not all if more holds
-- are due than one script call has time for.
local function due_units(pets, held, now)
  local sums = {}
  local all = due_in('t', now, MOST_DUE_READ)
  if #all <= MOST_DUE_READ then
    add_due(sums, all, now)
    return sums, #pets
  end
  local left, looks = MOST_DUE_OF_PETS, MOST_DUE_OF_PETS
  for i, pet in ipairs(pets) do
    if held[i] then
      local found = due_in('p' .. padded(pet) .. ',', now, left)
      left, looks = left - #found, looks - 1
      if left < 0 or looks < 0 then return sums, i - 1 end
      add_due(sums, found, now, pet)
    end
  end
  return sums, #pets
end

-- Returns levels of a page, which ends early if very many holds are due, or of some pets, in ascending order of pet id.
--
-- KEYS  those of a change of the stock (see change.lua)
-- ARGV  time in milliseconds or '' for the clock of Redis; pet id to begin after, or '' for the first page; most levels;
--       then the ids of these pets in place of a page
-- Reply a line for each level: `<pet id>,<quantity>,<held units>`; then `more` if other levels follow, `due` and a pet if
--       its due holds must be ended first
-- class: reads
local function list_levels()
  local now, most, is_page = tonumber(ARGV[1]) or clock(), tonumber(ARGV[3]), not ARGV[4]
  local pets = is_page and pets_after(ARGV[2], most + 1) or { unpack(ARGV, 4) }
  local has_more = is_page and #pets > most
  if has_more then pets[#pets] = nil end
  if #pets == 0 then return { '', '' } end
  local held, due, last = held_of(pets), {}, #pets
  if held then
    due, last = due_units(pets, held, now)
    if last < #pets and (last == 0 or not is_page) then return { '', 'due', pets[last + 1] } end
  end
  local lines = {}
  for i, item in ipairs(redis.call('HMGET', stock.items, unpack(pets, 1, last))) do
    if item then
      local ended = due[pets[i]] or 0
      local quantity = math.min(string.match(item, '^%d+') + ended, MAX_QUANTITY)
      lines[#lines + 1] = pets[i] .. ',' .. quantity .. ',' .. (held and held[i] or 0) - ended
    end
  end
  return { table.concat(lines, '\n'), (has_more or last < #pets) and 'more' or '' }
end

-- Ends the due holds of a pet.
--
-- Values  pet id
-- Outcome `ended`, `again`
-- class: frees
local function end_due_of_pet()
  return each_request(function()
    return end_due_holds(value(1)) == 'again' and 'again' or 'ended'
  end)
end
