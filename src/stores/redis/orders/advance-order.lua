-- import: order
-- class: frees
--
-- Moves an order to a later status. The numbers of the statuses increase in the life of an order.
--
-- KEYS  items, pets, newest entry, changes, orders of the account
-- ARGV  order id, status
-- Reply the order; `no_order`; or the number of the order's status if it is later than the requested one

local id = ARGV[1]
local order, _, _, status = read_order(KEYS[5], id)
if not order then
  return 'no_order'
end
if tonumber(status) > tonumber(ARGV[2]) then
  return tonumber(status)
end
return set_order_status(KEYS[5], order, ARGV[2])
