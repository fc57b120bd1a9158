-- Stored outcomes, which repeated requests return. If a request has a fingerprint, the last of its keys stores its
-- outcome: `<time> <fingerprint> <outcome>`.

-- Decides on a request, unless its outcome is stored. Returns `1` and the stored outcome, `0` and a new outcome, or
-- `0key_reused` when the stored outcome belongs to another request. An outcome is not stored if it is `again`, so that the
-- request must be decided in another script call, or if `decide` says by a second value that it is passing.
local function decide_once(decide)
  local fingerprint = request.fingerprint
  if fingerprint == '' then return '0' .. (decide()) end
  local outcome_key = key_at(request.keys)
  local stored = redis.call('GET', outcome_key)
  if stored then
    local made, of, outcome = string.match(stored, '^(%d+) (%S+) (.*)$')
    if change.now - made < OUTCOME_TTL then
      return of == fingerprint and '1' .. outcome or '0key_reused'
    end
  end
  local outcome, is_passing = decide()
  if outcome == 'again' or is_passing then return '0' .. outcome end
  local entry = whole(change.now) .. ' ' .. fingerprint .. ' ' .. outcome
  redis.call('SET', outcome_key, entry, 'PX', whole(OUTCOME_TTL))
  return '0' .. outcome
end

-- Decides once on each request. See each_request and decide_once.
local function each_once(decide)
  return each_request(function()
    return decide_once(decide)
  end)
end
