"""The script that Redis runs for each question: takes, gives back or peeks at all of its limits.

KEYS: one for each limit. ARGV: what is to be done ("take", "give back" or "peek"), the algorithm
("bucket" or "log"), now and the time of the take that is given back, in milliseconds; the number of
requests; then the count and the milliseconds of the window of each limit. With "free" at the end,
the last of the limits is the bucket of what is free.

Answers 1 or 0 (allowed) and how many were taken of the limits, then remaining, full_ms, next_ms and
retry_ms of each limit but that one.

Lua's numbers are doubles. Every product stays below 2^53, as `parse_limits` sees to, and
`divide` is exact, so that nothing is rounded. Keys expire by Redis' own clock, a minute after
they have nothing left to say, as that clock and the service's may differ; the script does not rely
on it.
"""

SCRIPT = """\
local what, algorithm = ARGV[1], ARGV[2]
local now, taken_at, requests = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local spare_ms = 60000

-- The quotient of whole numbers, rounded down, and whether there was a rest.
local function divide(a, b)
  local rest = math.fmod(a, b)
  return (a - rest) / b, rest > 0
end

local function whole(number)
  return string.format('%.0f', number)
end

-- What was kept under another algorithm is no more.
local function read(command, key, ...)
  local found = redis.pcall(command, key, ...)
  if type(found) == 'table' and found.err then
    redis.call('DEL', key)
    return false
  end
  return found
end

local bucket = {}

local function refill_ms(self, number)
  local missing = self.used - (self.count - number) * self.window
  if missing <= 0 then return 0 end
  local ms, more = divide(missing, self.count)
  return more and ms + 1 or ms
end

function bucket.read(self)
  local used, at = string.match(read('GET', self.key) or '', '^(%d+) (-?%d+)$')
  self.used = math.min(tonumber(used or 0), self.count * self.window)
  self.at = tonumber(at or now)
  self.moved = self.at > now
  if self.at <= now then
    local back = math.min(now - self.at, self.window) * self.count
    self.used, self.at = math.max(0, self.used - back), now
  end
end

function bucket.take(self)
  self.used = self.used + self.number * self.window
end

function bucket.give_back(self)
  self.used = math.max(0, self.used - self.number * self.window)
end

function bucket.level(self)
  if self.used == 0 then return self.count, 0, 0, 0 end
  local remaining = divide(self.count * self.window - self.used, self.window)
  local ahead = self.at - now
  return remaining, ahead + refill_ms(self, self.count), ahead + refill_ms(self, remaining + 1),
    remaining >= self.number and 0 or ahead + refill_ms(self, self.number)
end

function bucket.write(self)
  if self.at - now > self.window then
    self.at = now
  else
    self.at = math.min(self.at, now + self.window - refill_ms(self, 1))
  end
  if self.used == 0 then
    redis.call('DEL', self.key)
  else
    local _, full_ms = bucket.level(self)
    local value = whole(self.used) .. ' ' .. whole(self.at)
    redis.call('SET', self.key, value, 'PX', whole(full_ms + spare_ms))
  end
end

local log = {}

function log.read(self)
  local ahead = 0
  local newest = tonumber(read('LINDEX', self.key, -1))
  while newest and newest > now do
    if newest <= now + self.window then ahead = ahead + 1 end
    redis.call('RPOP', self.key)
    newest = tonumber(redis.call('LINDEX', self.key, -1))
  end
  self.moved = ahead > 0
  for _ = 1, ahead do redis.call('RPUSH', self.key, whole(now)) end
  local oldest = tonumber(redis.call('LINDEX', self.key, 0))
  while oldest and oldest <= now - self.window do
    redis.call('LPOP', self.key)
    oldest = tonumber(redis.call('LINDEX', self.key, 0))
  end
  -- What is no time was not written here.
  if not (tonumber(redis.call('LINDEX', self.key, -1)) and oldest) then
    redis.call('DEL', self.key)
  end
end

function log.take(self)
  for _ = 1, self.number do redis.call('RPUSH', self.key, whole(now)) end
end

function log.give_back(self)
  local place = -1
  local at = redis.call('LINDEX', self.key, place)
  while at and tonumber(at) > taken_at do
    place = place - 1
    at = redis.call('LINDEX', self.key, place)
  end
  for _ = 1, self.number do
    if not at then break end
    redis.call('LREM', self.key, -1, at)
    at = redis.call('LINDEX', self.key, place)
  end
end

function log.level(self)
  local length = redis.call('LLEN', self.key)
  if length == 0 then return self.count, 0, 0, 0 end
  local newest = tonumber(redis.call('LINDEX', self.key, -1))
  -- More than the count are there only if it was larger before.
  local first = tonumber(redis.call('LINDEX', self.key, math.max(0, length - self.count)))
  if not first then
    redis.call('DEL', self.key)
    return self.count, 0, 0, 0
  end
  local remaining = math.max(0, self.count - length)
  local missing, retry_ms = self.number - remaining, 0
  if missing > 0 then
    local place = math.max(0, length - self.count) + missing - 1
    retry_ms = tonumber(redis.call('LINDEX', self.key, place)) + self.window - now
  end
  return remaining, newest + self.window - now, first + self.window - now, retry_ms
end

function log.write(self)
  local _, full_ms = log.level(self)
  redis.call('PEXPIRE', self.key, whole(full_ms + spare_ms))
end

-- number: of a limit that allows fewer, all that it allows.
local function limit_of(n, number)
  local limit = {key = KEYS[n], count = tonumber(ARGV[4 + 2 * n])}
  limit.window, limit.number = tonumber(ARGV[5 + 2 * n]), math.min(number, limit.count)
  return limit
end

local count = #KEYS
if ARGV[#ARGV] == 'free' then
  local free = limit_of(count, 1)
  count = count - 1
  bucket.read(free)
  local has_left = bucket.level(free) >= 1
  if has_left then
    bucket.take(free)
  end
  if has_left or free.moved then
    bucket.write(free)
  end
  if what == 'take' and has_left then
    what = 'free'
  elseif what == 'give back' and not has_left then
    what = 'peek'
  end
end

local kind = algorithm == 'log' and log or bucket
local limits = {}
local allowed = true
for n = 1, count do
  local limit = limit_of(n, requests)
  kind.read(limit)
  if what == 'give back' then
    kind.give_back(limit)
    limit.number = 1
  end
  allowed = kind.level(limit) >= limit.number and allowed
  limits[n] = limit
end

local takes = what == 'take' and allowed
local answer = {(allowed or what == 'free') and 1 or 0, takes and requests or 0}
for _, limit in ipairs(limits) do
  if takes then
    kind.take(limit)
  end
  -- What the clock has moved is kept too, else the wait that is answered would not be enough.
  if limit.moved or what == 'give back' or takes then
    kind.write(limit)
  end
  -- Where nothing is refused, the wait is that for one.
  limit.number = allowed and 1 or limit.number
  for _, part in ipairs({kind.level(limit)}) do
    answer[#answer + 1] = part
  end
end
return answer
"""
