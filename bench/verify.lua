-- Drives verify with wrk: goes round a file of "path body" lines and counts the answers that say the order is paid.

local threads = {}
local requests = {}
local at = 0
verified = 0
wrong = 0

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  for line in io.lines(args[1]) do
    local path, body = line:match("^(%S+) (.*)$")
    requests[#requests + 1] = wrk.format("POST", path, {["Content-Type"] = "application/x-www-form-urlencoded"}, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function response(status, headers, body)
  if status == 200 and body:find('"transaction_payment_status":"SUCCESS"', 1, true) then
    verified = verified + 1
  else
    wrong = wrong + 1
  end
end

function done(summary, latency, requests)
  local good, bad = 0, 0
  for _, thread in ipairs(threads) do
    good = good + thread:get("verified")
    bad = bad + thread:get("wrong")
  end
  local errors = summary.errors
  bad = bad + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("verified %d wrong %d seconds %.6f\n", good, bad, summary.duration / 1e6))
end
