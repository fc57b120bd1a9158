-- import: change outcome batch
-- class: stores
--
-- Sets the quantities of several pets, all or none (see batch.lua). The numbers are quantities.

local function decide()
  return (decide_batch(false))
end

return each_request(function()
  return decide_once(decide)
end)
