"""A limited number of jobs run at once, one for each user, and users take turns."""

import threading

from finance_api.uploads.jobs import Turns


class Jobs:
    """Jobs that run until the test ends them."""

    def __init__(self, most: int) -> None:
        self.turns = Turns(most)
        self.begun: list[str] = []
        self._ends: dict[str, threading.Event] = {}
        self._changed = threading.Condition()

    def add(self, name: str) -> None:
        """name: the user's number and a letter."""
        self._ends[name] = threading.Event()
        self.turns.add(int(name[0]), lambda: self._run(name))

    def _run(self, name: str) -> None:
        with self._changed:
            self.begun.append(name)
            self._changed.notify_all()
        assert self._ends[name].wait(60)

    def end(self, name: str) -> None:
        self._ends[name].set()

    def wait_for(self, *names: str) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: sorted(self.begun) == sorted(names), 60), (
                self.begun
            )


def test_users_take_turns_and_have_one_job_each_at_a_time() -> None:
    jobs = Jobs(2)
    for name in ("1a", "1b", "1c", "2a", "3a", "2b"):
        jobs.add(name)
    # The second job of user 1 waits for the first, even if a thread is free.
    jobs.wait_for("1a", "2a")
    jobs.end("2a")
    jobs.wait_for("1a", "2a", "3a")
    jobs.end("3a")
    jobs.wait_for("1a", "2a", "3a", "2b")
    jobs.end("2b")
    jobs.end("1a")
    jobs.wait_for("1a", "2a", "3a", "2b", "1b")
    jobs.end("1b")
    jobs.end("1c")
    jobs.wait_for("1a", "2a", "3a", "2b", "1b", "1c")
    assert jobs.begun.index("1b") < jobs.begun.index("1c")


def test_one_job_of_a_user_comes_before_the_second_of_another() -> None:
    jobs = Jobs(1)
    names = ["1a", "1b", "1c", "2a", "3a", "2b"]
    for name in names:
        jobs.add(name)
    for name in names:
        jobs.end(name)
    jobs.wait_for(*names)
    assert jobs.begun == ["1a", "2a", "3a", "1b", "2b", "1c"]
