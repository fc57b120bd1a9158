-- Cancels an order and puts its quantity back, unless its pet was removed.
--
-- KEYS  items, pets, version, changes, orders of the account
-- ARGV  11 order id
-- Reply order id and order; or `no_order`, `delivered`, `too_much_stock`

local id = ARGV[11]
local pet, ordered, status, placed = read_order(KEYS[5], id)
if not pet then
  return 'no_order'
end
if status == ORDER_DELIVERED then
  return 'delivered'
end
local item = read_item(pet)
if status ~= ORDER_CANCELLED and item then
  if item.quantity + ordered > MAX_QUANTITY then
    return 'too_much_stock'
  end
  write_item(pet, item, item.quantity + ordered, item.status)
end
return { id, write_order(KEYS[5], id, pet, ordered, ORDER_CANCELLED, placed) }
