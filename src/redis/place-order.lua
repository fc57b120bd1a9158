-- Takes a quantity of a pet out of stock and places the order.
--
-- KEYS  items, pets, version, orders of the account, last order id
-- ARGV  time or '', pet id, quantity
-- Reply order id and order; `no_pet`; or the quantity there is, when it is not enough

local pet, wanted = ARGV[2], tonumber(ARGV[3])
local quantity, status = read_item(stock, pet)
if not quantity then
  return 'no_pet'
end
if quantity < wanted then
  return quantity
end
write_item(stock, pet, quantity - wanted, status)
local id = string.format('%.0f', redis.call('INCR', KEYS[5]))
local now = string.format('%.0f', tonumber(ARGV[1]) or clock())
return { id, write_order(KEYS[4], id, pet, wanted, ORDER_PLACED, now) }
