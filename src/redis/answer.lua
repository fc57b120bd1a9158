-- Answers that are told again when a request is repeated. Where a request has a fingerprint, the last of
-- its keys is where its answer is remembered: `<time made> <fingerprint> <answer>`. After change.lua.

-- Decides on a request unless that was done before.
-- Returns the answer after `1` if it is one remembered, else after `0`; `0key_reused` when that was for
-- another request.
local function answer_once(decide)
  local fingerprint = request.fingerprint
  if fingerprint == '' then
    return '0' .. decide()
  end
  local remembered = key(request.keys)
  local known = redis.call('GET', remembered)
  if known then
    local made, of, answer = string.match(known, '^(%d+) (%S+) (.*)$')
    if change.now - made < ANSWER_KEPT then
      return of == fingerprint and '1' .. answer or '0key_reused'
    end
  end
  local answer = decide()
  local entry = whole(change.now) .. ' ' .. fingerprint .. ' ' .. answer
  redis.call('SET', remembered, entry, 'PX', whole(ANSWER_KEPT))
  return '0' .. answer
end
