-- Returns the id of the last entry of the history that was trimmed; nil when it is not known. A user of Redis that lacks
-- the command can read the history all the same.
local function trimmed_until(changes_key)
  if redis.call('EXISTS', changes_key) == 0 then
    return nil
  end
  for _, group in ipairs(redis.pcall('XINFO', 'GROUPS', changes_key)) do
    local fields = {}
    for i = 1, #group, 2 do
      fields[group[i]] = group[i + 1]
    end
    if fields.name == TRIM_POINT then
      return fields['last-delivered-id']
    end
  end
end
