"""A program that starts a sleeping child and waits for it. The child prints its process id."""

import os
import time

from finance_api.runtime.limited_process import LimitedProcess, Limits


def sleep() -> None:
    print(os.getpid(), flush=True)
    time.sleep(600)


if __name__ == "__main__":
    LimitedProcess(Limits(), sleep).result()
