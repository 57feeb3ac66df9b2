"""The service as a process of its own, as an operator starts it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from support.programs import free_port

_ROOT = Path(__file__).parents[2]
_PROGRAMS = Path(sys.executable).parent
_START_SECONDS = 60
_END_SECONDS = 60


class ServerProcess:
    """pserve on one of the project's ini files, in ``directory``."""

    def __init__(
        self,
        directory: Path,
        *arguments: str,
        ini: str = "development.ini",
        settings: Mapping[str, str] | None = None,
        port: int | None = None,
    ) -> None:
        """arguments: options, or what the ini file takes, such as http_workers=2.

        settings: what the ini file does not say, by environment variables.
        """
        self.port = port or free_port()
        (directory / ini).write_text((_ROOT / ini).read_text())
        variables = {
            f"FINANCE_API_{name.removeprefix('finance_api.').replace('.', '_').upper()}": value
            for name, value in (settings or {}).items()
        }
        kept = {k: v for k, v in os.environ.items() if not k.startswith("FINANCE_API_")}
        options = [argument for argument in arguments if "=" not in argument]
        values = [argument for argument in arguments if "=" in argument]
        self._log = directory / f"{self.port}.log"
        with open(self._log, "wb") as log:
            self.process = subprocess.Popen(
                [_PROGRAMS / "pserve", *options, ini, f"http_port={self.port}", *values],
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**kept, **variables, "PYTHONUNBUFFERED": "1"},
            )

    @property
    def said(self) -> str:
        """All that it has written so far."""
        return self._log.read_text(errors="replace")

    def wait(self) -> Self:
        """Until it serves. Returns itself."""
        deadline = time.monotonic() + _START_SECONDS
        while "Serving on" not in self.said:
            assert self.process.poll() is None and time.monotonic() < deadline, self.said
            time.sleep(0.02)
        return self

    def stop(self) -> int:
        """Ends it as an operator does. Returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
