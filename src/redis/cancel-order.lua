-- Cancels an order and puts its quantity back, unless its pet was removed.
--
-- Keys    orders of the account
-- Values  order id
-- Answer  order id and order; or `no_order`, `delivered`, `too_much_stock`

return each_request(function()
  local orders, id = key(1), value(1)
  local pet, ordered, status, placed = read_order(orders, id)
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
  return { id, write_order(orders, id, pet, ordered, ORDER_CANCELLED, placed) }
end)
