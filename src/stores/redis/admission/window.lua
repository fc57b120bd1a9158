-- Sliding windows. Those of one caller are packed in one string.
--
--   time      u48   milliseconds since the epoch of the last counted request
--   for each window:
--     total   u32   requests in all buckets that count
--     current u24   requests in the current bucket, that of `time`
--     age     u8    the age of the oldest non-empty bucket: how many buckets it is before the current one
--   for each window:
--     history u24 for each bucket before the current one, oldest first
--
--   only while the time of the last window differs from the first one's: its time u48, its current u24, which is 0 above
--
-- A window is {buckets = B, width = milliseconds}: the current bucket and the B before it count. Until the next bucket
-- begins, only the head of the string is written.
--
-- If the clock is set back, a window stays at its time until the clock has caught up. A window that is ahead of the
-- clock by more than its own length starts again, for example the minute, while the day waits.

-- A decision as packed in the reply (see decision.ts): verdict u8, retry u48, the clock u48, and for each window total
-- u32, age of the newest non-empty bucket s8, age of the bucket after which more is left s8, wait u48. Ages are in
-- buckets before that of the clock. For an admitted request, retry is by how much it was counted ahead of the clock.
local DECISION = '>BI6I6I4bbI6I4bbI6'

-- Returns when the bucket of this age stops counting.
local function leaves_at(window, now, age)
  return (math.floor(now / window.width) - age + window.buckets + 1) * window.width
end

-- Makes the same decision as decide_request from the head of the string. Returns nil when the head is not enough: a
-- bucket has stopped counting since the last request, or a new bucket begins.
local function decide_quickly(key, limits, now, banned_until)
  -- The offsets are text, because converting numbers takes Redis longer than the command.
  local head = redis.call('GETRANGE', key, '0', '21')
  if head == '' then return nil end
  local time, total1, current1, age1, total2, current2, age2 =
    struct.unpack('>I6I4I3I1I4I3I1', head)
  local minute, day = QUOTA_WINDOWS[1], QUOTA_WINDOWS[2]
  local steps1 = math.floor(now / minute.width) - math.floor(time / minute.width)
  local steps2 = math.floor(now / day.width) - math.floor(time / day.width)
  local oldest1, oldest2 = age1 + steps1, age2 + steps2
  if now < time or oldest1 > minute.buckets or oldest2 > day.buckets
    or total1 > limits[1] or total2 > limits[2]
    -- The current bucket is empty when its request was taken back.
    or current1 == 0 or current2 == 0 then
    return nil
  end
  local verdict, retry = ADMITTED, 0
  if banned_until > now then
    verdict, retry = BANNED, banned_until - now
  elseif total1 == limits[1] or total2 == limits[2] then
    verdict = LIMITED
  elseif steps1 > 0 or steps2 > 0 then
    return nil
  else
    total1, total2 = total1 + 1, total2 + 1
    redis.call('SETRANGE', key, '0', struct.pack('>I6I4I3I1I4I3I1', now,
      total1, current1 + 1, age1, total2, current2 + 1, age2))
  end
  -- When the oldest bucket stops counting, a full window admits at least one request.
  local wait1 = total1 == limits[1] and leaves_at(minute, now, oldest1) - now or 0
  local wait2 = total2 == limits[2] and leaves_at(day, now, oldest2) - now or 0
  if verdict == LIMITED then retry = math.max(wait1, wait2) end
  local decision = struct.pack(DECISION, verdict, retry, now,
    total1, steps1, oldest1, wait1, total2, steps2, oldest2, wait2)
  return decision, verdict
end

-- Makes the functions that handle whole windows. They are only made when needed, because that takes as long as a usual
-- decision.
local function whole_windows()
  -- Returns the number of requests in the bucket of an age.
  local function count_at(window, age)
    local at = window.at + 3 * (window.buckets - age)
    local high, middle, low = string.byte(window.source, at, at + 2)
    return high * 65536 + middle * 256 + low
  end

  -- Returns the part of the string that is the history of a window.
  local function history_of(window)
    return string.sub(window.source, window.at, window.at + 3 * window.buckets - 1)
  end

  local function set_history(window, history)
    window.source, window.at = history, 1
  end

  -- Returns the age of the oldest non-empty bucket before the current one; 0 when there is none.
  local function oldest_age(window)
    local first = string.find(history_of(window), '[^%z]')
    return first and window.buckets + 1 - math.ceil(first / 3) or 0
  end

  -- Moves a window forward by a number of buckets.
  local function roll(window, steps)
    local buckets = window.buckets
    if steps > buckets then
      window.total, window.current, window.age = 0, 0, 0
      set_history(window, string.rep('\0', 3 * buckets))
      return
    end
    for age = buckets, buckets - steps + 1, -1 do
      window.total = window.total - count_at(window, age)
    end
    local history = string.sub(history_of(window), 3 * steps + 1)
      .. struct.pack('>I3', window.current)
      .. string.rep('\0', 3 * (steps - 1))
    window.current = 0
    set_history(window, history)
    window.age = oldest_age(window)
  end

  -- Returns the windows of a caller. Each window is at the time of the clock, or at that of its last request if that is
  -- later.
  local function read_windows(key, specs, now)
    local value = redis.call('GET', key)
    local windows = { key = key, now = now, rolled = not value }
    local time = value and struct.unpack('>I6', value)
    local at = 7 + 8 * #specs
    for i, spec in ipairs(specs) do
      local window = {
        buckets = spec.buckets, width = spec.width, total = 0, current = 0, age = 0, now = now,
      }
      local size = 3 * spec.buckets
      local counted = time
      if value then
        window.total, window.current, window.age = struct.unpack('>I4I3I1', value, 8 * i - 1)
        window.source, window.at = value, at
        if #value > at + size and i > 1 and i == #specs then
          counted, window.current = struct.unpack('>I6I3', value, at + size)
          windows.rolled = true
        end
      end
      if not value or counted - now > spec.buckets * spec.width then
        roll(window, spec.buckets + 1)
        windows.rolled = true
      else
        window.now = math.max(counted, now)
        local steps = math.floor(window.now / spec.width) - math.floor(counted / spec.width)
        if steps > 0 then
          roll(window, steps)
          windows.rolled = true
        end
      end
      at = at + size
      windows[i] = window
    end
    return windows
  end

  local function write_windows(windows)
    local head = { struct.pack('>I6', windows[1].now) }
    local longest = 0
    local last = windows[#windows]
    local apart = last.now ~= windows[1].now
    for i, window in ipairs(windows) do
      local current = apart and window == last and 0 or window.current
      head[i + 1] = struct.pack('>I4I3I1', window.total, current, window.age)
      longest = math.max(longest, (window.buckets + 2) * window.width)
    end
    if not windows.rolled and not apart then
      redis.call('SETRANGE', windows.key, '0', table.concat(head))
      return
    end
    for _, window in ipairs(windows) do
      head[#head + 1] = history_of(window)
    end
    if apart then head[#head + 1] = struct.pack('>I6I3', last.now, last.current) end
    redis.call('SET', windows.key, table.concat(head), 'PX', string.format('%.0f', longest))
  end

  -- Counts requests in every window.
  local function count_requests(windows, requests)
    for _, window in ipairs(windows) do
      window.total = window.total + requests
      window.current = window.current + requests
    end
    write_windows(windows)
  end

  -- Takes back one request that was counted at a time, from the bucket of each window in which it was counted. If that
  -- bucket does not count any more, nothing is left to take back.
  --
  -- Taking it from another bucket, such as the current one, would make the counts wrong: the request would still count
  -- in its own bucket, and another request would stop counting too soon or too late. A bucket is only empty if Redis
  -- has lost its counts. It never becomes negative.
  local function give_back(windows, counted_at)
    local is_given = false
    for _, window in ipairs(windows) do
      -- A window that is ahead of the others has counted it at its own time.
      local time = window.now ~= windows[1].now and window.now or counted_at
      local age = math.floor(window.now / window.width) - math.floor(time / window.width)
      local count = age == 0 and window.current
        or age > 0 and age <= window.buckets and count_at(window, age)
        or 0
      if count > 0 then
        is_given = true
        window.total = window.total - 1
        if age == 0 then
          window.current = count - 1
        else
          local history = history_of(window)
          local at = 3 * (window.buckets - age)
          set_history(window, string.sub(history, 1, at)
            .. struct.pack('>I3', count - 1) .. string.sub(history, at + 4))
          window.age = oldest_age(window)
          windows.rolled = true
        end
      end
    end
    if is_given then write_windows(windows) end
  end

  -- Returns the milliseconds until a window admits a number of requests; 0 when it admits them now. For more requests
  -- than its limit, these are the milliseconds until the window is empty.
  local function wait(windows, window, limit, requests)
    local most = math.max(0, limit - requests)
    local left = window.total
    if left <= most then return 0 end
    for age = window.age, 1, -1 do
      left = left - count_at(window, age)
      if left <= most then return leaves_at(window, window.now, age) - windows.now end
    end
    return leaves_at(window, window.now, 0) - windows.now
  end

  -- Returns the age of the bucket after which more requests are left. This is the oldest one, unless the limit was
  -- lowered below the total.
  local function age_of_more(window, limit)
    local left = window.total
    for age = window.age, 1, -1 do
      left = left - count_at(window, age)
      if left < limit then return age end
    end
    return 0
  end

  -- Returns the age of the newest non-empty bucket.
  local function newest_age(window)
    if window.current > 0 or window.total == 0 then return 0 end
    local age = 1
    while count_at(window, age) == 0 do
      age = age + 1
    end
    return age
  end

  local function decision(verdict, retry, windows, limits)
    local minute, day = windows[1], windows[2]
    if verdict == ADMITTED then retry = minute.now - windows.now end
    local lead1 = math.floor(minute.now / minute.width) - math.floor(windows.now / minute.width)
    local lead2 = math.floor(day.now / day.width) - math.floor(windows.now / day.width)
    return struct.pack(DECISION, verdict, retry, windows.now,
      minute.total, newest_age(minute) - lead1, age_of_more(minute, limits[1]) - lead1,
      minute.wait or wait(windows, minute, limits[1], 1),
      day.total, newest_age(day) - lead2, age_of_more(day, limits[2]) - lead2,
      day.wait or wait(windows, day, limits[2], 1))
  end

  -- Sets the waits of both windows for a number of requests. Returns the longer one.
  local function set_waits(windows, limits, requests)
    local minute, day = windows[1], windows[2]
    minute.wait = wait(windows, minute, limits[1], requests)
    day.wait = wait(windows, day, limits[2], requests)
    return math.max(minute.wait, day.wait)
  end

  return {
    decide = function(key, limits, now, banned_until, most)
      local windows = read_windows(key, QUOTA_WINDOWS, now)
      local verdict, retry = ADMITTED, 0
      if banned_until > windows.now then
        verdict, retry = BANNED, banned_until - windows.now
      elseif windows[1].total >= limits[1] or windows[2].total >= limits[2] then
        verdict, retry = LIMITED, set_waits(windows, limits, math.min(most, limits[1], limits[2]))
      else
        count_requests(windows, 1)
      end
      return decision(verdict, retry, windows, limits), verdict
    end,
    -- Decides on a request that counts as several, of which decide_request has counted one at `counted_at`. Counts the
    -- others if both windows admit them. Otherwise it takes back the first one, so that the windows are as if the request
    -- had not been sent. Returns the same as decide_request.
    --
    -- The first request is counted in the bucket of its admission, and the others in the current one, so no limit is ever
    -- exceeded. Between the two decisions, a concurrent request may be refused although it would fit.
    charge = function(key, limits, now, banned_until, requests, counted_at)
      local windows = read_windows(key, QUOTA_WINDOWS, now)
      local minute, day = windows[1], windows[2]
      local more = requests - 1
      local verdict, retry = ADMITTED, 0
      if banned_until > windows.now then
        verdict = BANNED
      elseif minute.total + more > limits[1] or day.total + more > limits[2] then
        verdict = LIMITED
      end
      if verdict == ADMITTED then
        count_requests(windows, more)
      else
        give_back(windows, counted_at)
        -- A retry of the call needs room for all of its requests.
        retry = set_waits(windows, limits, requests)
        if verdict == BANNED then retry = banned_until - windows.now end
      end
      return decision(verdict, retry, windows, limits), verdict
    end,
    -- Refuses a request of a disabled account. Takes back the request that was counted at `counted_at`, if there is one.
    -- Returns the packed decision.
    refuse_disabled = function(key, limits, now, counted_at)
      local windows = read_windows(key, QUOTA_WINDOWS, now)
      if counted_at then give_back(windows, counted_at) end
      return decision(DISABLED, 0, windows, limits)
    end,
    count_refusal = function(key, now)
      local refusals = read_windows(key, REFUSAL_WINDOWS, now)
      count_requests(refusals, 1)
      return refusals[1].total
    end,
  }
end

local all_windows

-- Returns the functions of whole_windows, made once.
local function on_windows()
  all_windows = all_windows or whole_windows()
  return all_windows
end

-- Decides on a request, and counts it if both windows admit it.
--
-- banned_until  the end of the caller's ban, 0 for none
-- most          how many requests it can count as, once its body is read; nil for one. If a window is full, the waits
--               are for so many, or for the lower limit if that is less. During a ban they are for one
-- Returns the packed decision and the verdict.
local function decide_request(key, limits, now, banned_until, most)
  local decision, verdict = decide_quickly(key, limits, now, banned_until)
  if decision and (verdict ~= LIMITED or not most) then return decision, verdict end
  return on_windows().decide(key, limits, now, banned_until, most or 1)
end

-- Counts a refusal. Returns the number of refusals in the window.
local function count_refusal(key, now)
  local head = redis.call('GETRANGE', key, '0', '13')
  if head ~= '' then
    local time, total, current, age = struct.unpack('>I6I4I3I1', head)
    if time <= now and time >= now - now % REFUSAL_WINDOWS[1].width then
      redis.call('SETRANGE', key, '0', struct.pack('>I6I4I3I1', now, total + 1, current + 1, age))
      return total + 1
    end
  end
  return on_windows().count_refusal(key, now)
end
