"""Microseconds of a call."""

import gc
import statistics
import time
from collections.abc import Callable

_ROUNDS = 7
_ROUND_SECONDS = 0.08


def microseconds(call: Callable[[], object]) -> float:
    """The median over several rounds of many calls each."""
    call()
    begin = time.perf_counter()
    call()
    calls = max(3, int(_ROUND_SECONDS / (time.perf_counter() - begin + 1e-7)))
    found = []
    gc.disable()
    try:
        for _ in range(_ROUNDS):
            begin = time.perf_counter()
            for _ in range(calls):
                call()
            found.append((time.perf_counter() - begin) / calls)
    finally:
        gc.enable()
    return statistics.median(found) * 1e6
