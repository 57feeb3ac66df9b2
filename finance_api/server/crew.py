"""The threads that serve: the one that leads also waits for what clients send."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from finance_api.server.lead import Lead

logger = logging.getLogger(__name__)


class Task(Protocol):
    """What is to be done for one request."""

    def service(self) -> None: ...


class Crew:
    """Threads that wait for tasks and do them; see `lead`.

    One thread more than there may be tasks at once: where so many are at work that nobody stands
    by, the leader leaves tasks where they are, and goes on waiting for what happens.
    """

    def __init__(self, at_once: int) -> None:
        """at_once: tasks done side by side."""
        self._turn: Callable[[bool], bool]
        self._wake: Callable[[], object]
        self._failure: BaseException | None = None
        self._tasks: deque[Task] = deque()
        self._lead = Lead(followers=at_once + 1)
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._serve, name=f"serves-{number}", daemon=True)
            for number in range(at_once + 1)
        ]

    def start(self, turn: Callable[[bool], bool], wake: Callable[[], object]) -> None:
        """Begin, in threads of its own.

        turn: deals with what has happened, of which tasks come; it waits for something if it is
        told to, and is called by one thread at a time. It returns whether there will be more.
        wake: ends that waiting; called by any thread.
        """
        self._turn, self._wake = turn, wake
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        """Until the last turn was made. Raises what a turn did, which was the last one then."""
        self._over.wait()
        if self._failure is not None:
            raise self._failure

    def join(self, seconds: float) -> bool:
        """After that wait until every task is done; False if it takes longer."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def add(self, task: Task) -> None:
        """Have this done; called within ``turn``, or by a thread that wakes the leader then."""
        self._tasks.append(task)

    @property
    def is_leading(self) -> bool:
        """Whether this thread makes the turns, also where it is at a task now."""
        return self._lead.is_mine

    @property
    def is_in_turn(self) -> bool:
        """Whether this thread makes a turn, so that no other one does."""
        return self._lead.is_mine_idly

    def _serve(self) -> None:
        while self._lead.stand_by():
            self._make_turns()

    def _make_turns(self) -> None:
        """Until the end, or until another thread has taken the lead."""
        while self._make_turn():
            # What these add, such as the next request of a connection, comes after the next turn.
            for _ in range(len(self._tasks)):
                if not self._is_task_due:
                    break
                task = self._tasks.popleft()
                self._lead.begin()
                try:
                    task.service()
                except Exception:
                    logger.exception("a task failed")
                if not self._lead.end():
                    if self._tasks:
                        # The leader may have left them because nobody stood by.
                        self._wake()
                    return
        self._lead.give_up()
        self._over.set()

    def _make_turn(self) -> bool:
        try:
            return self._turn(not self._is_task_due)
        except BaseException as error:
            self._failure = error
            return False

    @property
    def _is_task_due(self) -> bool:
        return bool(self._tasks) and self._lead.has_successor
