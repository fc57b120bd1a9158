-- Adds pets, or sets quantity and status of those that are there.
--
-- Values  for each pet: pet id, quantity, status
-- Answer  how many were new

return each_request(function()
  local created = 0
  for at = 1, request.values, 3 do
    local pet = value(at)
    local before = read_item(pet)
    write_item(pet, before, tonumber(value(at + 1)), value(at + 2))
    created = created + (before and 0 or 1)
  end
  return created
end)
