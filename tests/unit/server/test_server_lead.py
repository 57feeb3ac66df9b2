"""Who takes what comes next, and who takes over."""

import threading
import time

import pytest

from finance_api.server.crew import Crew
from finance_api.server.lead import LOOK_SECONDS, Lead

PATIENCE_SECONDS = 15


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


class Done:
    """A task that says which thread did it."""

    def __init__(self, log, name):
        self.log, self.name = log, name

    def service(self):
        self.log.append((self.name, threading.get_ident()))


class Held(Done):
    """A task that takes until it is let go."""

    def __init__(self, log, name):
        super().__init__(log, name)
        self.begun, self.let_go = threading.Event(), threading.Event()

    def service(self):
        self.begun.set()
        assert self.let_go.wait(PATIENCE_SECONDS)
        super().service()


class Fails:
    def service(self):
        raise ValueError("on purpose")


class Harness:
    """A crew whose turns take in what the test has put down for them."""

    def __init__(self, at_once):
        self.crew = Crew(at_once)
        self.log = []
        self.turns = 0
        self._coming = []
        self._happened = threading.Event()
        self._is_last = False
        self._error = None

    def start(self):
        self.crew.start(self._turn, self._happened.set)
        return self

    def _turn(self, wait):
        self.turns += 1
        if wait:
            self._happened.wait(PATIENCE_SECONDS)
        self._happened.clear()
        if self._error:
            raise self._error
        while self._coming:
            self.crew.add(self._coming.pop(0))
        return not self._is_last

    def come(self, *tasks):
        self._coming += tasks
        self._happened.set()

    def fail(self, error):
        self._error = error
        self._happened.set()

    def end(self):
        self._is_last = True
        self._happened.set()
        self.crew.wait()

    @property
    def done(self):
        return [name for name, _ in self.log]


@pytest.fixture
def harness():
    made = []

    def make(at_once):
        made.append(Harness(at_once).start())
        return made[-1]

    yield make
    for one in made:
        one.end()
        assert one.crew.join(PATIENCE_SECONDS)


def test_one_thread_does_what_takes_no_time_in_its_order(harness):
    crew = harness(4)
    crew.come(*[Done(crew.log, number) for number in range(100)])
    wait_until(lambda: len(crew.log) == 100)
    assert crew.done == list(range(100))
    assert len({thread for _, thread in crew.log}) == 1


def test_a_task_that_takes_long_is_left_alone_with_its_thread(harness):
    crew = harness(2)
    held = Held(crew.log, "held")
    crew.come(held, Done(crew.log, "next"))
    wait_until(lambda: crew.done == ["next"])
    held.let_go.set()
    wait_until(lambda: crew.done == ["next", "held"])
    assert len({thread for _, thread in crew.log}) == 2


def test_no_more_tasks_are_done_at_once_than_may_be_and_turns_go_on(harness):
    crew = harness(2)
    held = [Held(crew.log, number) for number in range(3)]
    crew.come(*held)
    assert all(task.begun.wait(PATIENCE_SECONDS) for task in held[:2])
    turns = crew.turns
    crew.come()
    wait_until(lambda: crew.turns > turns)
    time.sleep(10 * LOOK_SECONDS)
    assert not held[2].begun.is_set()
    held[0].let_go.set()
    # The leader, which waits for what may happen, is told that a thread is free.
    assert held[2].begun.wait(PATIENCE_SECONDS)
    for task in held:
        task.let_go.set()
    wait_until(lambda: sorted(crew.done) == [0, 1, 2])


def test_a_task_that_fails_is_logged_and_the_next_one_done(harness, caplog):
    crew = harness(1)
    crew.come(Fails(), Done(crew.log, "next"))
    wait_until(lambda: crew.done == ["next"])
    assert "a task failed" in caplog.text


def test_the_end_waits_for_tasks(harness):
    crew = harness(2)
    held = Held(crew.log, "held")
    crew.come(held)
    assert held.begun.wait(PATIENCE_SECONDS)
    crew.end()
    assert not crew.crew.join(0.05)
    held.let_go.set()
    assert crew.crew.join(PATIENCE_SECONDS)
    assert crew.done == ["held"]


def test_a_turn_that_fails_ends_everything():
    crew = Harness(2).start()
    crew.fail(OSError("on purpose"))
    with pytest.raises(OSError, match="on purpose"):
        crew.crew.wait()
    assert crew.crew.join(PATIENCE_SECONDS)


def test_a_thread_that_works_beside_the_leader_stands_by_afterwards():
    lead = Lead()
    lead.begin()
    ended = []

    def work():
        lead.begin()
        assert not lead.is_mine
        assert not lead.end()
        ended.append(lead.stand_by())

    other = threading.Thread(target=work)
    other.start()
    # It finds this thread at the same task twice, and takes the lead.
    other.join(PATIENCE_SECONDS)
    assert ended == [True]
    assert not lead.is_mine
    assert not lead.end()
    lead.give_up()
    assert not lead.stand_by()


def test_a_leader_that_is_at_no_task_keeps_the_lead():
    lead = Lead(followers=1)
    lead.begin()
    assert lead.is_mine and not lead.is_mine_idly
    assert lead.end() and lead.is_mine_idly
    other = threading.Thread(target=lead.stand_by)
    other.start()
    time.sleep(10 * LOOK_SECONDS)
    assert lead.is_mine_idly and lead.has_successor
    lead.give_up()
    other.join(PATIENCE_SECONDS)
    assert not other.is_alive()


def test_what_a_task_adds_comes_after_the_next_turn(harness):
    """Else a connection with many requests in one piece would keep all others waiting."""
    crew = harness(2)

    class Again(Done):
        def service(self):
            super().service()
            if self.name < 50:
                crew.crew.add(Again(crew.log, self.name + 1))

    turns = crew.turns
    crew.come(Again(crew.log, 0))
    wait_until(lambda: len(crew.log) == 51)
    assert crew.turns - turns > 50
