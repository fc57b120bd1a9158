-- Takes or keeps the lease of a follower's name. Then moves its place, if that is where the move begins.
--
-- KEYS  lease; place
-- ARGV  holder; time to live of the lease in milliseconds; place before, '' for none; place after, '' for no move
-- Reply 1 and the place, '' for none; 0 if another holder has the lease
-- class: stores
local function hold_place()
  local holder = redis.call('GET', KEYS[1])
  if holder and holder ~= ARGV[1] then return { 0, '' } end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  local place = redis.call('GET', KEYS[2]) or ''
  if ARGV[4] ~= '' and place == ARGV[3] then
    place = ARGV[4]
    redis.call('SET', KEYS[2], place)
  end
  return { 1, place }
end

-- Ends the lease of a follower's name, if the holder has it.
--
-- KEYS  lease
-- ARGV  holder
-- Reply 1 if it had the lease, else 0
-- class: frees
local function release_place()
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  return redis.call('DEL', KEYS[1])
end
