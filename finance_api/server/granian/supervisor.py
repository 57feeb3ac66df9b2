"""The parent of the workers: starts them, replaces those that die, ends them all."""

import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess

from finance_api.server.granian.worker import REFUSED, Plan, work
from finance_api.server.stop import SIGNALS, Stop

logger = logging.getLogger(__name__)

# Before another try, when a worker ended before it served.
_PAUSE_SECONDS = 1.0
# Beyond the drain limit, for what the application does at its end.
_HOOK_SECONDS = 40.0


@dataclass
class Worker:
    """number: from 1; a worker that takes another one's place has its number."""

    number: int
    process: ForkProcess
    ready: Connection
    serving: bool = False


class Supervisor:
    """Forks; so this process must have no thread beside the main one."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._workers: dict[int, Worker] = {}
        # Numbers of workers to be started, and when, of the monotonic clock.
        self._due = dict.fromkeys(range(1, plan.settings.workers + 1), 0.0)
        self._woken, self._waking = os.pipe()
        os.set_blocking(self._waking, False)
        os.set_blocking(self._woken, False)

    def run(self, serving: Callable[[], None]) -> int:
        """Serve until a signal; the exit code. serving: called when all workers do at first."""
        stop = Stop(lambda: os.write(self._waking, b"!"))
        with stop.on_signals():
            begun = False
            while not stop.wanted():
                self._start_due()
                self._wait()
                ended = self._take_ended()
                if any(not begun or worker.process.exitcode == REFUSED for worker in ended):
                    self._end()
                    return 1
                for worker in ended:
                    self._replace(worker)
                if not begun and all(worker.serving for worker in self._workers.values()):
                    begun = True
                    serving()
            logger.info("stopping: answering what was accepted")
            return 0 if self._end() else 1

    def _start_due(self) -> None:
        now = time.monotonic()
        for number in [number for number, due in self._due.items() if due <= now]:
            del self._due[number]
            self._start(number)

    def _start(self, number: int) -> None:
        context = multiprocessing.get_context("fork")
        reading, writing = context.Pipe(duplex=False)
        process = context.Process(
            target=work, args=(number, self._plan, writing), name=f"worker {number}", daemon=True
        )
        # A signal in between would be taken for one to this process.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        # Else the end of the worker would not end the pipe.
        writing.close()
        self._workers[number] = Worker(number, process, reading)

    def _wait(self) -> None:
        """Until a signal comes, a worker serves or ends, or one is due."""
        workers = self._workers.values()
        seconds = min((due - time.monotonic() for due in self._due.values()), default=None)
        wait(
            [
                self._woken,
                *(worker.process.sentinel for worker in workers),
                *(worker.ready for worker in workers if not worker.serving),
            ],
            None if seconds is None else max(0, seconds),
        )
        for worker in workers:
            if not worker.serving and worker.ready.poll():
                worker.serving = _received(worker.ready)

    def _take_ended(self) -> list[Worker]:
        ended = [w for w in self._workers.values() if w.process.exitcode is not None]
        for worker in ended:
            del self._workers[worker.number]
            worker.ready.close()
        return ended

    def _replace(self, worker: Worker) -> None:
        logger.error(
            "worker %d (PID %d) ended with %s; another one takes its place",
            worker.number,
            worker.process.pid,
            worker.process.exitcode,
        )
        pause = 0 if worker.serving else _PAUSE_SECONDS
        self._due[worker.number] = time.monotonic() + pause

    def _end(self) -> bool:
        """End all; False if one did not end by itself, or not well."""
        self._plan.listening.close()
        workers = list(self._workers.values())
        for worker in workers:
            worker.process.terminate()
        until = time.monotonic() + self._plan.settings.drain_seconds + _HOOK_SECONDS
        for worker in workers:
            worker.process.join(max(0, until - time.monotonic()))
        for worker in workers:
            if worker.process.exitcode is None:
                worker.process.kill()
                worker.process.join()
            if worker.process.exitcode != 0:
                logger.error("worker %d ended with %s", worker.number, worker.process.exitcode)
        return all(worker.process.exitcode == 0 for worker in workers)


def _received(ready: Connection) -> bool:
    try:
        return bool(ready.recv())
    except EOFError:
        return False
