-- Drives an operation with wrk: goes round a file of "path body" lines and counts the answers that hold a text.

local threads = {}
local requests = {}
local at = 0
right = 0
wrong = 0

function setup(thread)
  table.insert(threads, thread)
end

local wanted

function init(args)
  wanted = args[2]
  local headers = {["Content-Type"] = "application/x-www-form-urlencoded"}
  for place = 3, #args do
    local name, value = args[place]:match("^([^:]+):(.*)$")
    headers[name] = value
  end
  for line in io.lines(args[1]) do
    local path, body = line:match("^(%S+) (.*)$")
    requests[#requests + 1] = wrk.format("POST", path, headers, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function response(status, headers, body)
  if status == 200 and body:find(wanted, 1, true) then
    right = right + 1
  else
    wrong = wrong + 1
  end
end

function done(summary, latency, requests)
  local good, bad = 0, 0
  for _, thread in ipairs(threads) do
    good = good + thread:get("right")
    bad = bad + thread:get("wrong")
  end
  local errors = summary.errors
  bad = bad + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("right %d wrong %d seconds %.6f\n", good, bad, summary.duration / 1e6))
end
