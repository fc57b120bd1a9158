-- Prepares one request per line of a file, sends them in turn, and prints results as one line of JSON.
--
-- args: file with an API key and the value of {n} per line; method; path; file of the body or -;
--       headers as name=value

local requests, last = {}, 0

function init(args)
  local body
  if args[4] ~= '-' then
    local file = assert(io.open(args[4], 'rb'))
    body = file:read('*a')
    file:close()
  end
  for line in io.lines(args[1]) do
    local key, value = string.match(line, '^(%S+) (%S+)$')
    local headers = { Authorization = 'Bearer ' .. key }
    for i = 5, #args do
      local name, value = string.match(args[i], '^([^=]+)=(.*)$')
      headers[name] = value
    end
    local path = string.gsub(args[3], '{n}', value)
    requests[#requests + 1] = wrk.format(args[2], path, headers, body)
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%f,"badStatus":%d,"broken":%d,"p50":%f,"p99":%f}\n',
    summary.requests, summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
