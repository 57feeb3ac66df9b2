"""Processes that share a Redis allow together as many requests as one process would."""

import subprocess
import sys

import pytest

from support.limiter_models import NOW, make_key
from support.nightly import count

TAKES = 300
PROCESSES = count(2, 4)

PROGRAM = """
import sys
from finance_api.ratelimit.interface import Algorithm, Rule, parse_limits
from finance_api.ratelimit.redis import RedisLimiter

url, key, algorithm, now, takes = sys.argv[1:]
rule = Rule("processes", Algorithm[algorithm], parse_limits("500/hour"))
limiter = RedisLimiter(url)
limiter.peek(rule, key, int(now))
print("ready", flush=True)
sys.stdin.readline()
print(sum(limiter.take(rule, key, int(now)).allowed for _ in range(int(takes))))
limiter.close()
"""


@pytest.mark.nightly
@pytest.mark.parametrize("algorithm", ["TOKEN_BUCKET", "SLIDING_WINDOW"])
def test_processes_are_granted_exactly_the_limit(redis_url, algorithm):
    arguments = [redis_url, make_key(), algorithm, str(NOW), str(TAKES)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("\n")
        process.stdin.flush()
    granted = [int(process.communicate(timeout=60)[0]) for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    assert sum(granted) == 500
