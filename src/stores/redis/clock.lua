-- Returns the time of Redis in microseconds since the epoch. A double is exact until the year 2255.
local function clock_micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Returns the same in milliseconds.
local function clock()
  return math.floor(clock_micros() / 1000)
end
