-- Decides on requests without a valid key, in order. A request belongs to several networks. It is counted in all of
-- them if all admit it.
--
-- KEYS  for each request: the windows of its networks, from the narrowest to the widest
-- ARGV  the time in milliseconds, or '' for the clock of Redis; then for each request how many networks it has,
--       and for each network the limit of a minute and that of a day
-- Reply for each request: u8 index of a network, from 0, and its decision. If any network refuses, it is the one with
--       the longest wait, otherwise the narrowest.
-- class: frees
local function count_address()
  local now = tonumber(ARGV[1]) or clock()
  -- The end of a ban that never passes. A banned request is not counted, so its decision only reports the windows.
  local LATER = 2 ^ 47

  local next_key, next_arg = 1, 2

  -- Returns whether windows surely admit a request: their totals may include buckets that do not count any more.
  local function has_room(key, limits)
    local head = redis.call('GETRANGE', key, '0', '21')
    if head == '' then return true end
    local _, total1, _, _, total2 = struct.unpack('>I6I4I3I1I4', head)
    return total1 < limits[1] and total2 < limits[2]
  end

  -- Returns how long the windows of a network refuse requests, in milliseconds, and their decision. The time is 0 when
  -- they admit a request.
  local function refuses(key, limits)
    local decision = decide_request(key, limits, now, LATER)
    local _, _, _, _, _, _, wait1, _, _, _, wait2 = struct.unpack(DECISION, decision)
    local wait = math.max(wait1, wait2)
    return wait, struct.pack('>BI6', LIMITED, wait) .. string.sub(decision, 8)
  end

  local function decide(keys, limits)
    local longest, level, decision = 0, 0, nil
    for i = 2, #keys do
      if not has_room(keys[i], limits[i]) then
        local wait, refusal = refuses(keys[i], limits[i])
        if wait > longest then longest, level, decision = wait, i - 1, refusal end
      end
    end
    if decision then
      local wait, refusal = refuses(keys[1], limits[1])
      if wait >= longest then level, decision = 0, refusal end
      return string.char(level) .. decision
    end
    local verdict
    decision, verdict = decide_request(keys[1], limits[1], now, 0)
    if verdict == ADMITTED then
      for i = 2, #keys do
        decide_request(keys[i], limits[i], now, 0)
      end
    end
    return '\0' .. decision
  end

  local decisions = {}
  while next_key <= #KEYS do
    local keys, limits = {}, {}
    for i = 1, tonumber(ARGV[next_arg]) do
      keys[i] = KEYS[next_key]
      limits[i] = { tonumber(ARGV[next_arg + 2 * i - 1]), tonumber(ARGV[next_arg + 2 * i]) }
      next_key = next_key + 1
    end
    next_arg = next_arg + 1 + 2 * #keys
    decisions[#decisions + 1] = decide(keys, limits)
  end
  return table.concat(decisions)
end
