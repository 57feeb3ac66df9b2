"""Which of several threads takes what comes next.

One leads: it does one task after another, in the order in which they came. Most tasks take less
time than handing them to another thread would, and Python runs one thread at a time anyway. The
other threads stand by, and the first of them looks at the leader now and then. A leader that is
found at the same task twice is left alone with it: who has looked leads from then on. So a task
that takes long, or waits for something, keeps the others waiting for no more than a moment.
"""

import threading
import time

#: How often the leader is looked at: for so long, or twice as long, the others wait for one task.
LOOK_SECONDS = 0.002


class Lead:
    """Taken by the first thread that begins something, or stands by."""

    def __init__(self, followers: int = 0) -> None:
        """followers: threads that stand by before they do anything else."""
        self._lock = threading.Lock()
        self._leader: int | None = None
        # Whether the leader is at a task, and how many have been begun.
        self._working = False
        self._begun = 0
        self._standing_by = followers
        self._given_up = False
        self._at_work = threading.Event()
        self._watching = threading.Lock()

    @property
    def is_mine(self) -> bool:
        """Whether this thread leads."""
        return self._leader == threading.get_ident()

    @property
    def is_mine_idly(self) -> bool:
        """Whether this thread leads and is at no task: nobody takes the lead from it then."""
        return not self._working and self.is_mine

    @property
    def has_successor(self) -> bool:
        """Whether some thread stands by."""
        return self._standing_by > 0

    def begin(self) -> None:
        """This thread is at a task from now on."""
        me = threading.get_ident()
        with self._lock:
            if self._leader is None:
                self._leader = me
            if self._leader != me:
                return
            self._working = True
            self._begun += 1
        if not self._at_work.is_set():
            self._at_work.set()

    def end(self) -> bool:
        """The task is done. Returns whether this thread leads; else it has to stand by now."""
        with self._lock:
            if self._leader != threading.get_ident():
                self._standing_by += 1
                return False
            self._working = False
            return True

    def stand_by(self) -> bool:
        """Returns when this thread leads, or with False when nobody will any more."""
        with self._watching:
            leads = self._watch()
        with self._lock:
            self._standing_by -= 1
        return leads

    def give_up(self) -> None:
        """From now on nobody leads, and nobody stands by."""
        with self._lock:
            self._given_up = True
            self._leader = None
        self._at_work.set()

    def _watch(self) -> bool:
        seen = -1
        while True:
            if self._leader is not None:
                self._at_work.wait()
                time.sleep(LOOK_SECONDS)
            with self._lock:
                if self._given_up:
                    return False
                stands_still = self._begun == seen
                if self._leader is None or (self._working and stands_still):
                    self._leader = threading.get_ident()
                    self._working = False
                    return True
                if stands_still:
                    self._at_work.clear()
                seen = self._begun
