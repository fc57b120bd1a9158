-- import: change
--
-- A deleted account places no orders and holds no units for some time.

-- `deleted_key` stores when the account was deleted.
local function is_deleted_account(deleted_key)
  local deleted = redis.call('GET', deleted_key)
  return deleted and change.now - deleted < DELETED_ACCOUNT_TTL
end
