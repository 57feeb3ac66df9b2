"""Processes of the suite: pinned to a core, awaited, ended by their own ids, measured."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.workspace import PROJECT

_START_SECONDS = 60
_END_SECONDS = 35
#: A core is idle if it had nothing to do for this share of this time; Linux counts its time in
#: hundredths of a second.
_IDLE_SHARE = 0.75
_IDLE_LOOK_SECONDS = 0.1
_IDLE_LONGEST_SECONDS = 90


def cores() -> tuple[int, int]:
    """Return the core of servers and databases, and that of clients; equal if there is only one."""
    available = sorted(os.sched_getaffinity(0))
    return available[0], available[-1]


def wait_until_idle(core: int) -> None:
    """Wait until the core is idle; give up after a while, if something else must be running."""
    deadline = time.monotonic() + _IDLE_LONGEST_SECONDS
    while time.monotonic() < deadline:
        before, begin = _idle_seconds(core), time.monotonic()
        time.sleep(_IDLE_LOOK_SECONDS)
        idle = _idle_seconds(core) - before
        if idle >= _IDLE_SHARE * (time.monotonic() - begin):
            return
    print(f"  core {core} was busy for {_IDLE_LONGEST_SECONDS} seconds without a load", flush=True)


def _idle_seconds(core: int) -> float:
    """Return how long the core has been idle since the system started, without waiting for a
    disk.
    """
    for line in Path("/proc/stat").read_text().splitlines():
        name, *ticks = line.split()
        if name == f"cpu{core}":
            # user, nice, system, idle ...
            return int(ticks[3]) / os.sysconf("SC_CLK_TCK")
    raise RuntimeError(f"there is no core {core}")


def pinned(core: int, command: Sequence[str]) -> list[str]:
    return ["taskset", "--cpu-list", str(core), *command]


#: Ports that servers may still be about to listen on.
_given_ports: set[int] = set()


def free_port() -> int:
    """Return a free port, a different one at each call."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port not in _given_ports:
            _given_ports.add(port)
            return port


class Process:
    """A server on the servers' core, in a separate process group; its output goes to ``log``."""

    def __init__(
        self, command: Sequence[str], log: Path, port: int, environment: Mapping[str, str]
    ) -> None:
        """environment: variables added to the suite's environment."""
        self.port = port
        self._log = log
        with open(log, "wb") as output:
            self._process = subprocess.Popen(
                pinned(cores()[0], command),
                cwd=PROJECT,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until_listening(self) -> None:
        """Wait, for up to a minute. If the process does not listen, raise RuntimeError."""
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        said = self._log.read_text("utf-8", "replace")[-2_000:]
        self.stop()
        raise RuntimeError(f"{self._log.stem} does not serve: {said}")

    def stop(self) -> None:
        """End the process and its children, if they still run."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            if self._process.poll() is None:
                os.killpg(self._process.pid, how)
                try:
                    self._process.wait(_END_SECONDS)
                except subprocess.TimeoutExpired:
                    continue

    def own_memory_bytes(self) -> int:
        """Return the private memory of the group's largest process, which is the worker."""
        return max(anonymous_bytes(pid) for pid in (self._process.pid, *self._children()))

    def _children(self) -> list[int]:
        """Return every process of the group."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if os.getpgid(int(entry.name)) == self._process.pid:
                        found.append(int(entry.name))
                except ProcessLookupError:
                    continue
        return found


def peak_bytes(pid: int) -> int:
    """Return the largest resident set that the process has had; 0 if the process has ended.

    Count only the program that runs now: the figures of ``getrusage`` also count the program that
    started it.
    """
    return _bytes_in_proc(pid, "status", "VmHWM:")


def children(pid: int) -> list[int]:
    """Return the processes that this process has started."""
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def busy_seconds(pid: int) -> float:
    """Return the processor time of a process; 0 if the process has ended."""
    try:
        values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    # utime and stime: see proc(5).
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


def proportional_bytes(pid: int) -> int:
    """Return the memory of a process, with its part of the memory that processes share."""
    return _bytes_in_proc(pid, "smaps_rollup", "Pss:")


def anonymous_bytes(pid: int) -> int:
    """Return the private memory of a process, without mapped files."""
    return _bytes_in_proc(pid, "smaps_rollup", "Anonymous:")


def _bytes_in_proc(pid: int, file: str, name: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
