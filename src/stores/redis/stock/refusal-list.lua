-- The refusals of a request for several pets.

-- Returns two functions: one that adds the refusal of a pet, by its place in the request, and one that returns the outcome
-- `refused <how many>` with the first MOST_REFUSALS as `<index from 0> <refusal>`, each on its own line; nil for none.
local function refusal_list()
  local total, lines = 0, {}
  local function add(place, refusal)
    total = total + 1
    if total <= MOST_REFUSALS then
      lines[total] = '\n' .. place - 1 .. ' ' .. refusal
    end
  end
  local function outcome()
    return total > 0 and 'refused ' .. total .. table.concat(lines) or nil
  end
  return add, outcome
end
