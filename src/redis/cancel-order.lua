-- Cancels an order and puts its quantity back, unless its pet was removed.
--
-- KEYS  items, pets, version, orders of the account
-- ARGV  order id
-- Reply order id and order; or `no_order`, `delivered`, `too_much_stock`

local id = ARGV[1]
local pet, ordered, status, placed = read_order(KEYS[4], id)
if not pet then
  return 'no_order'
end
if status == ORDER_DELIVERED then
  return 'delivered'
end
if status ~= ORDER_CANCELLED then
  local quantity, pet_status = read_item(stock, pet)
  if quantity then
    if quantity + ordered > MAX_QUANTITY then
      return 'too_much_stock'
    end
    write_item(stock, pet, quantity + ordered, pet_status)
  end
end
return { id, write_order(KEYS[4], id, pet, ordered, ORDER_CANCELLED, placed) }
