-- The catalogue: names and SKUs of pets, beside the stock, which has the pets that exist and their status.
--
-- A hash has `<SKU>`, a tab and `<name>` of each pet that has one of them. Another has the pet of each SKU. A stream has the
-- changes of entries: `<version>-0` with the field `before`, the version of the catalogue before it, and `pets`, the ids of
-- those that were added, changed or removed, each between spaces. A change of a quantity is not one of the catalogue.

-- The most changes in the stream, and the most pets of a change. Who knows an older version reads the whole catalogue again.
local MOST_CATALOG_CHANGES = 1000
local PETS_IN_CATALOG_CHANGE = 100

-- How many changes one command reads.
local CATALOG_CHANGES_AT_ONCE = 10

-- How many names one command reads, and how many bytes of entries a script call returns, or a few more. Most names are short.
local NAMES_AT_ONCE = 50
local MOST_ENTRY_BYTES = 65536

-- Returns the version of the catalogue, as text.
local function catalog_version(changes_key)
  local last = redis.call('XREVRANGE', changes_key, '+', '-', 'COUNT', '1')[1]
  return last and string.match(last[1], '^%d+') or '0'
end

-- Returns SKU and name of stored names. Those that cannot be read are empty, so that a change replaces them.
local function parse_names(names)
  local sku, name = string.match(names or '', '^([^\t]*)\t(.*)$')
  return sku or '', name or ''
end

-- Returns a line for each pet: `<pet id>`, `<status>`, `<SKU>` and `<name>` with tabs between. The status is `-` if the pet does
-- not exist, and `?` if its item is damaged. Ends after some bytes, if that is given. Also returns how many pets it has read.
local function entry_lines(names_key, pets, most_bytes)
  local lines, bytes, read = {}, 0, 0
  while read < #pets and bytes < (most_bytes or math.huge) do
    local last = math.min(read + NAMES_AT_ONCE, #pets)
    local items = redis.call('HMGET', stock.items, unpack(pets, read + 1, last))
    local names = redis.call('HMGET', names_key, unpack(pets, read + 1, last))
    for i, item in ipairs(items) do
      local status = item and (string.match(item, '^%d+,(%d+),') or '?') or '-'
      local line = pets[read + i] .. '\t' .. status .. '\t' .. (item and names[i] or '\t')
      lines[read + i], bytes = line, bytes + #line
    end
    read = last
  end
  return table.concat(lines, '\n'), read
end

-- Returns a page of the catalogue, in ascending order of pet id. It is shorter if its entries are long.
--
-- KEYS  those of the stock; names, changes of the catalogue
-- ARGV  pet id to begin after, or '' for the first page; most entries
-- Reply the version of the catalogue; the lines of entry_lines; `more` if other entries follow
-- class: reads
local function list_entries()
  local most = tonumber(ARGV[2])
  local pets = pets_after(ARGV[1], most + 1)
  local has_more = #pets > most
  if has_more then pets[#pets] = nil end
  local lines, read = entry_lines(KEYS[5], pets, MOST_ENTRY_BYTES)
  return { catalog_version(KEYS[6]), lines, (has_more or read < #pets) and 'more' or '' }
end

-- Returns entries of the catalogue by pets or SKUs.
--
-- KEYS  those of the stock; names, changes of the catalogue, SKUs
-- ARGV  `pets` or `skus`, and their values
-- Reply the version of the catalogue, and the lines of entry_lines
-- class: reads
local function find_entries()
  local found = { unpack(ARGV, 2) }
  if ARGV[1] == 'skus' then
    local pets = {}
    for _, pet in ipairs(redis.call('HMGET', KEYS[7], unpack(found))) do
      if pet then pets[#pets + 1] = pet end
    end
    found = pets
  end
  return { catalog_version(KEYS[6]), (entry_lines(KEYS[5], found)) }
end

-- Returns entries that have changed after a version, and up to another one.
--
-- KEYS  those of the stock; names, changes of the catalogue
-- ARGV  version
-- Reply the version of the last change that was read; the lines of entry_lines, in which a pet can be twice; `more` if other
--       changes can follow; nil when the changes after the version are not known
-- class: reads
local function changed_entries()
  local version = ARGV[1]
  if catalog_version(KEYS[6]) == version then return { version, '', '' } end
  local lines, bytes, from, last = {}, 0, version .. '-0', nil
  repeat
    local changes = redis.call('XRANGE', KEYS[6], from, '+', 'COUNT', CATALOG_CHANGES_AT_ONCE)
    for _, change in ipairs(changes) do
      local own = string.match(change[1], '^%d+')
      if not last and own ~= version and change[2][2] ~= version then return nil end
      if own ~= version then
        local pets = {}
        for pet in string.gmatch(change[2][4], '%d+') do
          pets[#pets + 1] = pet
        end
        lines[#lines + 1] = (entry_lines(KEYS[5], pets))
        bytes = bytes + #lines[#lines]
      end
      last, from = own, '(' .. change[1]
      if bytes >= MOST_ENTRY_BYTES then return { last, table.concat(lines, '\n'), 'more' } end
    end
  until #changes < CATALOG_CHANGES_AT_ONCE
  return last and { last, table.concat(lines, '\n'), '' }
end

-- Appends changes of entries, if there are any.
local function append_catalog_changes(pets)
  for first = 1, #pets, PETS_IN_CATALOG_CHANGE do
    local last = math.min(first + PETS_IN_CATALOG_CHANGE - 1, #pets)
    local before = catalog_version(key_at(3))
    local version = math.max(next_version(), before + 1)
    redis.call('XADD', key_at(3), 'MAXLEN', MOST_CATALOG_CHANGES, whole(version) .. '-0',
      'before', before, 'pets', ' ' .. table.concat(pets, ' ', first, last) .. ' ')
  end
end

-- Returns a text of a request: '' if the old one stays, or `=` and the new one.
local function new_text(text, old)
  return text == '' and old or string.sub(text, 2)
end

-- Stores name and SKU of a pet. The old SKU must have been removed.
local function write_names(pet, sku, name)
  if sku ~= '' then redis.call('HSET', key_at(2), sku, pet) end
  if sku == '' and name == '' then
    redis.call('HDEL', key_at(1), pet)
  else
    redis.call('HSET', key_at(1), pet, sku .. '\t' .. name)
  end
end

-- Returns the other pet that has an SKU; nil when there is none.
local function other_with(sku, pet)
  local owner = sku ~= '' and redis.call('HGET', key_at(2), sku)
  return owner and owner ~= pet and owner or nil
end

-- Adds a pet.
--
-- Keys    names, SKUs, changes of the catalogue
-- Values  pet id, quantity, status, SKU, name
-- Outcome the item; null when the pet exists already; `sku_taken <pet id>`
-- class: stores
local function create_item()
  return each_request(function()
    local pet, sku = value(1), value(4)
    if read_item(pet) then return nil end
    local owner = other_with(sku, pet)
    if owner then return 'sku_taken ' .. owner end
    local item = write_item(pet, nil, tonumber(value(2)), value(3))
    write_names(pet, sku, value(5))
    append_catalog_changes({ pet })
    return item
  end)
end

-- Changes an entry.
--
-- Keys    names, SKUs, changes of the catalogue
-- Values  pet id; status or ''; SKU and name (see new_text)
-- Outcome the line of the entry (see entry_lines); null when there is no such pet; `sku_taken <pet id>`
-- class: stores
local function update_item()
  return each_request(function()
    local pet = value(1)
    local item = read_item(pet)
    if not item then return nil end
    local old_sku, old_name = parse_names(redis.call('HGET', key_at(1), pet))
    local sku, name = new_text(value(3), old_sku), new_text(value(4), old_name)
    local owner = other_with(sku, pet)
    if owner then return 'sku_taken ' .. owner end
    local status = value(2) ~= '' and value(2) or item.status
    if value(2) ~= '' then write_item(pet, item, item.quantity, status) end
    local is_renamed = sku ~= old_sku or name ~= old_name
    if is_renamed then
      if old_sku ~= sku and old_sku ~= '' then redis.call('HDEL', key_at(2), old_sku) end
      write_names(pet, sku, name)
    end
    append_catalog_changes((is_renamed or status ~= item.status) and { pet } or {})
    return pet .. '\t' .. status .. '\t' .. sku .. '\t' .. name
  end)
end

-- Removes a pet.
--
-- Keys    names, SKUs, changes of the catalogue
-- Values  pet id
-- Outcome the line of the entry as it was (see entry_lines); null when there is no such pet; `held` when units of it are
--         held; `again`
-- class: frees
local function remove_item()
  local function decide()
    local pet = value(1)
    local item = read_item(pet)
    if not item then return nil end
    if held_units(pet) > 0 then return decide_after_due(pet, 'held', decide) end
    local sku, name = parse_names(redis.call('HGET', key_at(1), pet))
    erase_item(pet, item)
    if sku ~= '' then redis.call('HDEL', key_at(2), sku) end
    redis.call('HDEL', key_at(1), pet)
    append_catalog_changes({ pet })
    return pet .. '\t' .. item.status .. '\t' .. sku .. '\t' .. name
  end

  return each_request(decide)
end

-- Returns the pets of a put whose SKUs belong to pets that keep them, as `sku_taken` and ` <index from 0> <pet id>` for the
-- first MOST_REFUSALS, or nil; then, for each pet that gets another name or SKU: its index, old SKU, new SKU and new name.
local function check_names(pets, skus, names)
  local released, renamed = {}, {}
  for i, pet in ipairs(pets) do
    if skus[i] ~= '' or names[i] ~= '' then
      local old_sku, old_name = parse_names(redis.call('HGET', key_at(1), pet))
      local sku, name = new_text(skus[i], old_sku), new_text(names[i], old_name)
      if sku ~= old_sku then released[old_sku] = true end
      if sku ~= old_sku or name ~= old_name then
        renamed[#renamed + 1] = { at = i, old_sku = old_sku, sku = sku, name = name }
      end
    end
  end
  local refused, total = '', 0
  for _, each in ipairs(renamed) do
    local owner = not released[each.sku] and other_with(each.sku, pets[each.at])
    if owner and total < MOST_REFUSALS then
      total = total + 1
      refused = refused .. ' ' .. each.at - 1 .. ' ' .. owner
    end
  end
  return total > 0 and 'sku_taken' .. refused or nil, renamed
end

-- Adds pets, or sets quantity, status, SKU and name of existing ones.
--
-- Keys    names, SKUs, changes of the catalogue
-- Values  for each pet: pet id, quantity, status, SKU and name (see new_text)
-- Outcome how many were new, and whether that was stored before (see decide_once); or one that is not stored, because the
--         pets can be put later: `too_large` with ` <index from 0> <held units>` for the first MOST_REFUSALS, or that of
--         check_names
-- class: stores
local function put_items()
  local function decide()
    local pets, quantities, statuses, skus, names = {}, {}, {}, {}, {}
    for at = 1, request.values, 5 do
      pets[#pets + 1] = value(at)
      quantities[#quantities + 1] = value(at + 1)
      statuses[#statuses + 1] = value(at + 2)
      skus[#skus + 1] = value(at + 3)
      names[#names + 1] = value(at + 4)
    end
    local places, due = too_large_at(pets, quantities)
    if due then return due == 'again' and 'again' or decide() end
    if places[1] then
      local refused = 'too_large'
      for at = 1, math.min(#places, MOST_REFUSALS) do
        refused = refused .. ' ' .. places[at] - 1 .. ' ' .. held_units(pets[places[at]])
      end
      return refused, true
    end
    local taken, renamed = check_names(pets, skus, names)
    if taken then return taken, true end
    local items = redis.call('HMGET', stock.items, unpack(pets))
    local created, is_changed = 0, {}
    for i, item in ipairs(items) do
      created = created + (item and 0 or 1)
      is_changed[i] = not item or string.match(item, '^%d+,(%d+)') ~= statuses[i]
    end
    write_items(pets, items, quantities, statuses)
    for _, each in ipairs(renamed) do
      is_changed[each.at] = true
      if each.sku ~= each.old_sku and each.old_sku ~= '' then redis.call('HDEL', key_at(2), each.old_sku) end
    end
    for _, each in ipairs(renamed) do
      write_names(pets[each.at], each.sku, each.name)
    end
    local changed = {}
    for i, pet in ipairs(pets) do
      if is_changed[i] then changed[#changed + 1] = pet end
    end
    append_catalog_changes(changed)
    return created
  end

  return each_once(decide)
end
