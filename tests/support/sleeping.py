"""A program that waits for a child which sleeps; it prints the child's process id."""

import os
import time

from finance_api.runtime.limited_process import LimitedProcess, Limits


def sleep() -> None:
    print(os.getpid(), flush=True)
    time.sleep(600)


if __name__ == "__main__":
    LimitedProcess(Limits(), sleep).result()
