-- The history: a stream whose entries have one or several changes each.
--
-- An entry `<version>-0` has the fields `time`, `changes`, `reason`, `note`, `reference`, `account`, `key`
-- and `request`. Its changes are of consecutive versions, the last of which is the entry's:
--   ;<versions before the entry's> <pet id> <quantity before> <quantity after> <status after> <version before>
-- with `-` for what there is not. Several changes share an entry only when one request makes them: most of
-- what an entry costs, in time and memory, are its other fields.

-- Entries that are read by one command. Few, as each may have CHANGES_IN_ENTRY changes.
local ENTRIES_AT_ONCE = 10

-- Where the value of the field `changes` is among the fields of an entry.
local CHANGES_AT = 4

-- Reads entries until they have `most` changes, or a few more.
--
-- command  XRANGE, or XREVRANGE for the newest first
local function read_entries(command, changes_key, from, to, most)
  local found, count = {}, 0
  while true do
    local entries = redis.call(command, changes_key, from, to, 'COUNT', ENTRIES_AT_ONCE)
    for i = 1, #entries do
      found[#found + 1] = entries[i]
      count = count + string.match(entries[i][2][CHANGES_AT], '^;(%d+)') + 1
      if count >= most then
        return found
      end
    end
    if #entries < ENTRIES_AT_ONCE then
      return found
    end
    from = '(' .. entries[#entries][1]
  end
end
