-- import: stock change order due-holds
-- class: frees
--
-- Cancels an order and returns its quantity to the stock, unless its pet was removed.
--
-- Keys    orders of the account, its ended orders, accounts with ended orders
-- Values  order id, account id
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
  if status == ORDER_CANCELLED then
    return order
  end
  local item = read_item(pet)
  if item then
    if item.quantity + ordered + held_units(pet) > MAX_QUANTITY then
      return 'too_much_stock'
    end
    write_item(pet, item, item.quantity + ordered, item.status)
  end
  return set_order_status(orders, key(2), key(3), value(2), order, ORDER_CANCELLED, whole(change.now))
end)
