-- import: stock change order due-holds
-- class: frees
--
-- Cancels an order and returns its quantity to the stock, unless its pet was removed.
--
-- Keys    orders of the account
-- Values  order id
-- Outcome the order; or `no_order`, `delivered`, `too_much_stock`

return each_request(function()
  local orders, id = key(1), value(1)
  local order, pet, ordered, status = read_order(orders, id)
  if not order then
    return 'no_order'
  end
  if status == ORDER_DELIVERED then
    return 'delivered'
  end
  local item = read_item(pet)
  if status ~= ORDER_CANCELLED and item then
    if item.quantity + ordered + held_units(pet) > MAX_QUANTITY then
      return 'too_much_stock'
    end
    write_item(pet, item, item.quantity + ordered, item.status)
  end
  return set_order_status(orders, order, ORDER_CANCELLED)
end)
