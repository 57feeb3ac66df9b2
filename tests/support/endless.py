"""What a hostile file may make its reader do: replacements of `uploads.work.run_in_child`."""

import os
import signal
import time
from typing import Any


def sleep(*arguments: Any) -> None:
    time.sleep(600)


def spin(*arguments: Any) -> None:
    while True:
        pass


def fill_memory(*arguments: Any) -> None:
    held = []
    while True:
        held.append(bytes(1 << 20))


def die(*arguments: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
