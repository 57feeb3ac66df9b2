"""So many calls at once; one more waits behind fast ones and is refused behind slow ones."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from finance_api.bulkhead import Bulkhead, BulkheadFull

WAIT_SECONDS = 0.05


class Running:
    """Calls that run until they are told to end, by a clock that is held."""

    def __init__(self, pool: ThreadPoolExecutor, calls: int) -> None:
        self._pool = pool
        self.now = 0.0
        self.bulkhead = Bulkhead(calls, wait_seconds=WAIT_SECONDS, monotonic=lambda: self.now)
        self.ends: list[threading.Event] = []

    def begin(self) -> None:
        """One that runs when this returns."""
        began, end = threading.Event(), threading.Event()

        def call() -> None:
            began.set()
            end.wait()

        self.ends.append(end)
        self._pool.submit(self.bulkhead.call, call)
        assert began.wait(60)

    def ask(self) -> Future[str]:
        return self._pool.submit(self.bulkhead.call, lambda: "called")


@pytest.fixture
def make_running() -> Iterator[Callable[[int], Running]]:
    with ThreadPoolExecutor(8) as pool:
        made: list[Running] = []

        def make(calls: int) -> Running:
            made.append(Running(pool, calls))
            return made[-1]

        yield make
        for running in made:
            for end in running.ends:
                end.set()


@pytest.mark.parametrize("calls", [1, 3])
def test_one_more_is_refused_when_all_others_have_run_for_a_while(
    make_running: Callable[[int], Running], calls: int
) -> None:
    running = make_running(calls)
    for _ in range(calls):
        running.begin()
    running.now += WAIT_SECONDS
    for _ in range(5):
        with pytest.raises(BulkheadFull):
            running.ask().result(60)
    running.ends[0].set()
    # It is back when that one has ended.
    while True:
        try:
            assert running.ask().result(60) == "called"
        except BulkheadFull:
            continue
        break


def test_one_more_waits_behind_one_that_has_just_begun(
    make_running: Callable[[int], Running],
) -> None:
    running = make_running(2)
    running.begin()
    running.now += 10
    running.begin()
    running.now += WAIT_SECONDS / 2
    asked = running.ask()
    # Longer than it waits, by the clock of the machine: refused too early it would be done.
    assert not threading.Event().wait(2 * WAIT_SECONDS) and not asked.done()
    running.ends[0].set()
    assert asked.result(60) == "called"


def test_one_that_waits_is_refused_in_the_end(make_running: Callable[[int], Running]) -> None:
    running = make_running(1)
    running.begin()
    asked = running.ask()
    running.now += WAIT_SECONDS
    with pytest.raises(BulkheadFull):
        asked.result(60)


def test_a_call_that_fails_makes_room_and_raises() -> None:
    bulkhead = Bulkhead(1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            bulkhead.call(lambda: 1 // 0)
    assert bulkhead.call(lambda: "called") == "called"


def test_no_more_than_are_allowed_run_at_once() -> None:
    bulkhead, running, most, lock = Bulkhead(3, wait_seconds=60), 0, 0, threading.Lock()

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        with lock:
            running -= 1

    with ThreadPoolExecutor(16) as pool:
        for done in [pool.submit(bulkhead.call, work) for _ in range(2_000)]:
            done.result(60)
    assert 1 <= most <= 3
