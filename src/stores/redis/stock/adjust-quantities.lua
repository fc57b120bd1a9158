-- import: change outcome batch
-- class: stores
--
-- Adjusts the quantities of several pets, all or none (see batch.lua). The numbers are deltas. The outcome
-- `changed` ends with ` <new quantity>,…`.

local function decide()
  local outcome, quantities = decide_batch(true)
  return quantities and outcome .. ' ' .. table.concat(quantities, ',') or outcome
end

return each_request(function()
  return decide_once(decide)
end)
