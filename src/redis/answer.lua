-- Answers that are told again when a request is repeated. With a fingerprint in ARGV[10], the last of
-- KEYS is where the answer is remembered: `<time made> <fingerprint> <answer>`. After change.lua.

-- Decides on a request unless that was done before.
-- Returns the answer and whether it is one remembered; `key_reused` when that was for another request.
local function answer_once(decide)
  local fingerprint = ARGV[10]
  if fingerprint == '' then
    return { decide(), 0 }
  end
  local known = redis.call('GET', KEYS[#KEYS])
  if known then
    local made, of, answer = string.match(known, '^(%d+) (%S+) (.*)$')
    if change.now - made < ANSWER_KEPT then
      return of == fingerprint and { answer, 1 } or { 'key_reused', 0 }
    end
  end
  local answer = decide()
  local value = whole(change.now) .. ' ' .. fingerprint .. ' ' .. answer
  redis.call('SET', KEYS[#KEYS], value, 'PX', whole(ANSWER_KEPT))
  return { answer, 0 }
end
