-- Sends the requests of a file in turn, checks every response, and prints one line of JSON.
--
-- Arguments: the file (a line each: path, tab, token or -, tab, entity tag or -), the number of
-- threads, the status that responses must have, the least and the most bytes of their bodies; with
-- -1 for the least, responses are not checked here, but by wrk's own counters.

local threads = {}

function setup(thread)
   thread:set("number", #threads)
   table.insert(threads, thread)
end

function init(arguments)
   local count = tonumber(arguments[2])
   local status = tonumber(arguments[3])
   local least, most = tonumber(arguments[4]), tonumber(arguments[5])
   local lines = {}
   for line in io.lines(arguments[1]) do
      table.insert(lines, line)
   end
   -- Each thread has a part of the lines: with one connection a thread, a client's own way.
   requests = {}
   local from = math.floor(#lines * number / count) + 1
   local to = math.floor(#lines * (number + 1) / count)
   for index = from, to do
      local path, token, tag = lines[index]:match("^(.-)\t(.-)\t(.*)$")
      local headers = {}
      if token ~= "-" then headers["Authorization"] = "Bearer " .. token end
      if tag ~= "-" then headers["If-None-Match"] = tag end
      table.insert(requests, wrk.format("GET", path, headers))
   end
   at = 0
   wrong = 0
   checked = 0
   example = ""
   if least >= 0 then
      response = function(received, headers, body)
         checked = checked + 1
         if received ~= status or #body < least or #body > most then
            wrong = wrong + 1
            example = received .. " with " .. #body .. " bytes"
         end
      end
   end
end

function request()
   at = at % #requests + 1
   return requests[at]
end

function done(summary, latency, _)
   local wrong, checked, example = 0, 0, ""
   for _, thread in ipairs(threads) do
      wrong = wrong + thread:get("wrong")
      checked = checked + thread:get("checked")
      if thread:get("example") ~= "" then example = thread:get("example") end
   end
   local errors = summary.errors
   io.write(string.format(
      '\n{"requests":%d,"microseconds":%d,"bytes":%d,"p50":%d,"p99":%d,"wrong":%d,"checked":%d,'
      .. '"example":"%s","failed":%d}\n',
      summary.requests, summary.duration, summary.bytes,
      latency:percentile(50), latency:percentile(99), wrong, checked, example,
      errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
