"""Users share the places; costly calls run one at a time, from each user in turn."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from finance_api.runtime.bulkhead import Bulkhead, BulkheadFull

PLACES = 5
WAIT_SECONDS = 0.05
LONG = 60


class Running:
    """Calls that run until the test ends them, and a clock that only the test moves."""

    def __init__(self, pool: ThreadPoolExecutor, **options: float) -> None:
        self._pool = pool
        self.now = 0.0
        given = {"wait_seconds": WAIT_SECONDS, "turn_seconds": LONG, **options}
        self.bulkhead = Bulkhead(PLACES, monotonic=lambda: self.now, **given)
        #: The users whose calls ran, in order.
        self.ran: list[str] = []
        self.ends: list[threading.Event] = []

    def begin(self, user: str, *, is_cheap: bool) -> threading.Event:
        """Begin a call, which runs when this returns, and ends when the event is set."""
        began, end = threading.Event(), threading.Event()

        def call() -> None:
            self.ran.append(user)
            began.set()
            end.wait()

        self.ends.append(end)
        self._pool.submit(self.bulkhead.call, call, user, is_cheap=is_cheap)
        assert began.wait(LONG)
        self.now += WAIT_SECONDS
        return end

    def ask(self, user: str, *, is_cheap: bool) -> Future[str]:
        def call() -> str:
            self.ran.append(user)
            return "called"

        return self._pool.submit(self.bulkhead.call, call, user, is_cheap=is_cheap)

    def queue(self, user: str, *, is_cheap: bool = True) -> Future[str]:
        """Begin a call, which waits for a place when this returns."""
        last = self.bulkhead._queue[-1:]
        asked = self.ask(user, is_cheap=is_cheap)
        while self.bulkhead._queue[-1:] == last:
            assert not asked.done()
        return asked

    def look_again(self) -> None:
        """Let waiting calls look at the clock."""
        with self.bulkhead._lock:
            self.bulkhead._changed.notify_all()

    def wait_in_turn(self, user: str) -> Future[str]:
        """Begin a costly call, which has a place and waits for its turn when this returns."""
        held = len(self.bulkhead._calls)
        asked = self.ask(user, is_cheap=False)
        while len(self.bulkhead._calls) == held:
            assert not asked.done()
        return asked


Make = Callable[..., Running]


@pytest.fixture
def make_running() -> Iterator[Make]:
    with ThreadPoolExecutor(16) as pool:
        made: list[Running] = []

        def make(**options: float) -> Running:
            made.append(Running(pool, **options))
            return made[-1]

        yield make
        for running in made:
            for end in running.ends:
                end.set()


def refused(asked: Future[str]) -> BulkheadFull:
    with pytest.raises(BulkheadFull) as error:
        asked.result(LONG)
    return error.value


def test_no_user_has_all_places_for_costly_calls(make_running: Make) -> None:
    running = make_running()
    end = running.begin("one", is_cheap=False)
    waiting = [running.wait_in_turn("one") for _ in range(PLACES - 3)]
    assert refused(running.ask("one", is_cheap=False)).is_own
    others = running.wait_in_turn("two")
    end.set()
    assert [each.result(LONG) for each in (*waiting, others)] == ["called"] * (PLACES - 2)


def test_a_cheap_call_has_a_place_whatever_costly_calls_there_are(make_running: Make) -> None:
    running = make_running()
    running.begin("one", is_cheap=False)
    for user in ("one", "one", "two"):
        running.wait_in_turn(user)
    assert not refused(running.ask("three", is_cheap=False)).is_own
    for user in ("one", "two", "three"):
        assert running.ask(user, is_cheap=True).result(LONG) == "called"


def test_no_user_has_all_places_for_cheap_calls(make_running: Make) -> None:
    running = make_running()
    for _ in range(PLACES - 1):
        running.begin("one", is_cheap=True)
    for is_cheap in (True, False):
        assert refused(running.ask("one", is_cheap=is_cheap)).is_own
        assert running.ask("two", is_cheap=is_cheap).result(LONG) == "called"


def test_costly_calls_run_one_after_the_other_and_users_in_turn(make_running: Make) -> None:
    running = make_running()
    end = running.begin("one", is_cheap=False)
    waiting = [running.wait_in_turn(user) for user in ("one", "one", "two")]
    assert running.ran == ["one"]
    end.set()
    for each in waiting:
        each.result(LONG)
    assert running.ran == ["one", "two", "one", "one"]


@pytest.mark.parametrize(("user", "is_own"), [("one", True), ("two", False)])
def test_a_turn_that_does_not_come_is_refused_in_the_end(
    make_running: Make, user: str, is_own: bool
) -> None:
    running = make_running(turn_seconds=0.001)
    running.begin("one", is_cheap=False)
    asked = running.wait_in_turn(user)
    running.now += 1
    assert refused(asked).is_own is is_own
    assert len(running.bulkhead._calls) == 1


@pytest.mark.parametrize("has_ended", [True, False], ids=["which ends", "which goes on"])
def test_one_more_waits_behind_one_that_has_just_begun(make_running: Make, has_ended: bool) -> None:
    running = make_running()
    ends = [running.begin("one", is_cheap=True) for _ in range(PLACES - 1)]
    running.now -= WAIT_SECONDS / 2
    asked = running.ask("one", is_cheap=True)
    if has_ended:
        # Wait longer than its limit by the real clock: the call must not be refused by that clock.
        assert not threading.Event().wait(2 * WAIT_SECONDS) and not asked.done()
        ends[0].set()
        assert asked.result(LONG) == "called"
    else:
        running.now += WAIT_SECONDS
        assert refused(asked).is_own


QUEUE_SECONDS = 2


def test_calls_of_a_user_get_places_in_the_order_in_which_they_came(make_running: Make) -> None:
    running = make_running(wait_seconds=LONG, queue_seconds=LONG)
    ends = [running.begin("one", is_cheap=True) for _ in range(PLACES - 1)]
    order: list[int] = []

    def note(number: int) -> Callable[[], None]:
        return lambda: order.append(number)

    waiting = []
    for number in range(6):
        count = len(running.bulkhead._queue)
        waiting.append(
            running._pool.submit(running.bulkhead.call, note(number), "one", is_cheap=True)
        )
        while len(running.bulkhead._queue) == count:
            assert not waiting[-1].done()
    # A user who has no call waiting goes first.
    assert running.ask("two", is_cheap=True).result(LONG) == "called"
    ends[0].set()
    for each in waiting:
        each.result(LONG)
    assert order == [*range(6)]


def test_a_burst_of_quick_calls_is_not_refused(make_running: Make) -> None:
    """The wait begins again with each call that begins."""
    running = make_running(queue_seconds=QUEUE_SECONDS)
    ends = [running.begin("one", is_cheap=True) for _ in range(PLACES - 1)]
    running.now -= WAIT_SECONDS / 2
    waiting = [running.queue("one") for _ in range(6)]
    ends[-1].set()
    assert [each.result(LONG) for each in waiting] == ["called"] * 6


def test_no_call_waits_for_longer_than_a_queue_may_last(make_running: Make) -> None:
    running = make_running(wait_seconds=LONG, queue_seconds=QUEUE_SECONDS)
    for _ in range(PLACES - 1):
        running.begin("one", is_cheap=True)
    # Whole numbers, which binary floats add up exactly.
    running.now = 1
    first = running.queue("one")
    running.now += QUEUE_SECONDS / 2
    second = running.queue("one")
    running.now += QUEUE_SECONDS / 2
    running.look_again()
    assert refused(first).is_own and not second.done()
    running.now += QUEUE_SECONDS / 2
    running.look_again()
    assert refused(second).is_own


def test_a_user_whose_calls_never_stop_waiting_is_refused_at_once(make_running: Make) -> None:
    running = make_running(wait_seconds=LONG, queue_seconds=QUEUE_SECONDS)
    for _ in range(PLACES - 1):
        running.begin("one", is_cheap=True)
    # Whole numbers, which binary floats add up exactly.
    running.now = 1
    waiting = [running.queue("one")]
    for _ in range(9):
        running.now += QUEUE_SECONDS / 2
        waiting.append(running.queue("one"))
        running.look_again()
        if len(waiting) > 2:
            assert refused(waiting.pop(0)).is_own
    running.now += QUEUE_SECONDS / 2
    assert refused(running.ask("one", is_cheap=True)).is_own
    assert running.ask("two", is_cheap=True).result(LONG) == "called"


def test_waiting_costly_calls_do_not_hold_up_cheap_ones_or_others(make_running: Make) -> None:
    running = make_running(wait_seconds=LONG, queue_seconds=LONG)
    end = running.begin("one", is_cheap=False)
    turns = [running.wait_in_turn("one") for _ in range(PLACES - 3)]
    waiting = [running.queue("one", is_cheap=False) for _ in range(4)]
    assert running.ask("one", is_cheap=True).result(LONG) == "called"
    assert running.ask("two", is_cheap=True).result(LONG) == "called"
    others = running.wait_in_turn("two")
    end.set()
    assert others.result(LONG) == "called"
    for each in (*turns, *waiting):
        assert each.result(LONG) == "called"
    assert running.ran.index("two", running.ran.index("two") + 1) <= 4


@pytest.mark.parametrize("is_cheap", [True, False])
def test_a_call_that_fails_makes_room_and_raises(is_cheap: bool) -> None:
    bulkhead = Bulkhead(1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            bulkhead.call(lambda: 1 // 0, "one", is_cheap=is_cheap)
    assert bulkhead.call(lambda: "called", "two", is_cheap=is_cheap) == "called"


def test_no_more_than_are_allowed_run_at_once() -> None:
    bulkhead, lock = Bulkhead(PLACES, wait_seconds=LONG, queue_seconds=LONG), threading.Lock()
    running = {True: 0, False: 0}
    most = dict(running)

    def work(is_cheap: bool) -> None:
        with lock:
            running[is_cheap] += 1
            most[is_cheap] = max(most[is_cheap], running[is_cheap])
        with lock:
            running[is_cheap] -= 1

    with ThreadPoolExecutor(16) as pool:
        calls = [
            pool.submit(bulkhead.call, lambda c=n % 3 > 0: work(c), n % 4, is_cheap=n % 3 > 0)
            for n in range(2_000)
        ]
        for done in calls:
            done.result(LONG)
    assert 1 <= most[True] <= PLACES and most[False] == 1
