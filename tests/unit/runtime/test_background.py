"""Background work: no noted value is lost, even after failures and with concurrent notes."""

import logging
import operator
import threading
from collections import Counter
from contextlib import suppress

import pytest

from finance_api.runtime.background import Periodic, WriteBehind

#: An interval so long that no test reaches its end.
NEVER = 3_600
LOGGER = "finance_api.runtime.background"


class Sink:
    """A place to write numbers to; fails while ``error`` is set."""

    def __init__(self):
        self.written = []
        self.error = None

    def __call__(self, numbers):
        if self.error is not None:
            raise self.error
        self.written.append(dict(numbers))

    @property
    def sums(self):
        total = Counter()
        for numbers in self.written:
            total.update(numbers)
        return dict(total)


@pytest.fixture
def sink():
    return Sink()


@pytest.fixture
def made():
    """Return a function that makes objects, which are stopped at the end."""
    things = []

    def keep(thing):
        things.append(thing)
        return thing

    yield keep
    for thing in things:
        thing.stop()


@pytest.fixture
def sums(made, sink):
    return made(WriteBehind("adding up", NEVER, merge=operator.add, write=sink))


# -- numbers written behind --------------------------------------------------------------------


def test_numbers_of_one_key_are_merged_and_written_together(sums, sink):
    for key, number in (("a", 1), ("b", 5), ("a", 2), ("a", 4)):
        sums.note(key, number)
    assert sink.written == []
    for _ in range(2):
        sums.flush()
        assert sink.written == [{"a": 7, "b": 5}]
    sums.note("a", 1)
    sums.flush()
    assert sink.written == [{"a": 7, "b": 5}, {"a": 1}]


@pytest.mark.parametrize("error", [OSError("away"), KeyboardInterrupt()])
def test_what_could_not_be_written_is_kept_and_merged_with_what_comes(sums, sink, error):
    sums.note("a", 1)
    sink.error = error
    for _ in range(3):
        with pytest.raises(type(error)):
            sums.flush()
    sums.note("a", 10)
    sums.note("b", 5)
    sink.error = None
    sums.flush()
    assert sink.written == [{"a": 11, "b": 5}]


def test_what_is_noted_while_a_write_fails_is_kept_too(made, sink):
    def write(numbers):
        sums.note("a", 100)
        sink.written.append(dict(numbers))
        if len(sink.written) == 1:
            raise OSError("away")

    sums = made(WriteBehind("adding up", NEVER, merge=operator.add, write=write))
    sums.note("a", 1)
    with pytest.raises(OSError, match="away"):
        sums.flush()
    sums.flush()
    assert sink.written == [{"a": 1}, {"a": 101}]


def test_many_threads_that_note_and_flush_lose_nothing(sums, sink):
    failures = iter(range(1_000_000))

    def sometimes(numbers):
        if next(failures) % 3 == 0:
            raise OSError("away")
        sink(numbers)

    sums._write = sometimes

    def work():
        for n in range(2_000):
            sums.note(n % 7, 1)
            if n % 50 == 0:
                with suppress(OSError):
                    sums.flush()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sums._write = sink
    sums.flush()
    assert sum(sink.sums.values()) == 16_000


def test_a_write_that_takes_long_keeps_no_note_waiting(made, sink):
    entered, leave = threading.Event(), threading.Event()

    def write(numbers):
        entered.set()
        assert leave.wait(10)
        sink(numbers)

    sums = made(WriteBehind("adding up", NEVER, merge=operator.add, write=write))
    sums.note("a", 1)
    writer = threading.Thread(target=sums.flush)
    writer.start()
    assert entered.wait(10)
    noted = threading.Thread(target=sums.note, args=("a", 1))
    noted.start()
    noted.join(5)
    assert not noted.is_alive()
    leave.set()
    writer.join()
    sums.flush()
    assert sink.written == [{"a": 1}, {"a": 1}]


def test_noted_numbers_are_written_after_a_while_by_themselves(made):
    written = threading.Event()
    sums = made(
        WriteBehind("adding up", 0.01, merge=operator.add, write=lambda numbers: written.set())
    )
    sums.note("a", 1)
    assert written.wait(10)


# -- what is done from time to time ------------------------------------------------------------


def test_work_begins_when_asked_to_and_never_twice(made):
    turns = threading.Semaphore(0)
    periodic = made(Periodic("work", 0.01, turns.release))
    assert not turns.acquire(timeout=0.05)
    before = threading.active_count()
    starters = [threading.Thread(target=periodic.start) for _ in range(16)]
    for thread in starters:
        thread.start()
    for thread in starters:
        thread.join()
    assert threading.active_count() == before + 1
    for _ in range(3):
        assert turns.acquire(timeout=10)


def test_work_that_fails_is_tried_again_and_logged_once(made, caplog):
    turns = threading.Semaphore(0)
    failing = True

    def work():
        turns.release()
        if failing:
            raise OSError("disk full")

    with caplog.at_level(logging.INFO, LOGGER):
        periodic = made(Periodic("housekeeping", 0.01, work))
        periodic.start()
        for _ in range(5):
            assert turns.acquire(timeout=10)
        failing = False
        for _ in range(3):
            assert turns.acquire(timeout=10)
        periodic.stop()
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [
        "housekeeping failed and will be tried again: disk full",
        "housekeeping works again",
    ]


@pytest.mark.parametrize(("last", "expected"), [(True, [1]), (False, [])])
def test_at_the_end_the_thread_is_gone_and_the_work_done_once_more_if_asked(last, expected):
    done = []
    periodic = Periodic("work", NEVER, lambda: done.append(1), last=last)
    before = threading.active_count()
    periodic.start()
    assert threading.active_count() == before + 1
    periodic.stop()
    assert threading.active_count() == before
    assert done == expected


def test_what_was_stopped_does_not_start_again():
    done = []
    periodic = Periodic("work", 0.001, lambda: done.append(1), last=False)
    before = threading.active_count()
    periodic.stop()
    periodic.start()
    assert threading.active_count() == before
    assert done == []


def test_at_the_end_as_many_attempts_are_made_as_were_asked_for(caplog):
    written, failures = [], [ValueError("locked")] * 3

    def write(noted):
        if failures:
            raise failures.pop()
        written.append(dict(noted))

    for attempts, expected in ((3, []), (4, [{"a": 2}])):
        failures[:] = [ValueError("locked")] * 3
        behind = WriteBehind("writing", 3_600, merge=max, write=write, last_attempts=attempts)
        for number in (1, 2, 1):
            behind.note("a", number)
        behind.stop()
        assert written == expected
        assert ("is lost: locked" in caplog.text) is (not expected)
        caplog.clear()
    behind.stop()
    assert written == [{"a": 2}]
