-- import: clock order
-- class: frees
--
-- Moves an order to a later status. The numbers of the statuses increase in the life of an order.
--
-- KEYS  items, pets, newest entry, changes; orders of the account, its ended orders, accounts with ended orders
-- ARGV  time in milliseconds or '' for the clock of Redis, order id, status, account id
-- Reply the order; `no_order`; or the number of the order's status if it is later than the requested one

local order, _, _, status = read_order(KEYS[5], ARGV[2])
if not order then
  return 'no_order'
end
if tonumber(status) > tonumber(ARGV[3]) then
  return tonumber(status)
end
local now = string.format('%.0f', tonumber(ARGV[1]) or clock())
return set_order_status(KEYS[5], KEYS[6], KEYS[7], ARGV[4], order, ARGV[3], now)
