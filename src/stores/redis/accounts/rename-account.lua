-- Renames keys. It skips those that do not exist.
--
-- KEYS  old and new names, which alternate

for i = 1, #KEYS, 2 do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    redis.call('RENAME', KEYS[i], KEYS[i + 1])
  end
end
