-- Whether a key, by its record `<key id> <scope mask> <expires> <revoked>`, is none any more: the verdict;
-- nil when it is valid.
local function invalid_key(key, now)
  if string.sub(key, -4) == ' 0 0' then
    return nil
  end
  local expires, revoked = string.match(key, ' (%d+) (%d+)$')
  if revoked ~= '0' then
    return REVOKED
  end
  return expires ~= '0' and now >= tonumber(expires) and EXPIRED or nil
end
