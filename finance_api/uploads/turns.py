"""A queue of jobs: a few run at once, one of each user, and users take turns."""

import threading
from collections import deque
from collections.abc import Callable


class Turns:
    """Runs jobs in threads of their own.

    most: jobs that run at once. A user's own jobs run one after the other, in their order; so
    nobody waits for more than one job of each other user.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        #: By user; the user whose turn is next comes first.
        self._waiting: dict[int, deque[Callable[[], None]]] = {}
        self._busy: set[int] = set()

    def add(self, user_id: int, job: Callable[[], None]) -> None:
        """Run a job when it is its turn. job: raises nothing."""
        with self._lock:
            self._waiting.setdefault(user_id, deque()).append(job)
            self._start_next()

    def _start_next(self) -> None:
        while len(self._busy) < self._most:
            user_id = next((user for user in self._waiting if user not in self._busy), None)
            if user_id is None:
                return
            job = self._waiting[user_id].popleft()
            self._busy.add(user_id)
            name = f"upload of user {user_id}"
            threading.Thread(target=self._run, args=(user_id, job), name=name, daemon=True).start()

    def _run(self, user_id: int, job: Callable[[], None]) -> None:
        try:
            job()
        finally:
            with self._lock:
                self._busy.remove(user_id)
                # A user who was just served goes behind everybody else.
                left = self._waiting.pop(user_id)
                if left:
                    self._waiting[user_id] = left
                self._start_next()
