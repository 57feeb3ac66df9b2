"""Runs finance-api mcp --http as a process."""

import http.client
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from support.programs import free_port, spawn, wait_until

PROGRAM = Path(sys.executable).parent / "finance-api"


@contextmanager
def mcp_server(directory: Path, base: str, *options: str) -> Iterator[int]:
    """Run the MCP server. base: the address of the API. Yields the port."""
    port, log = free_port(), directory / "log"
    command = [PROGRAM, "mcp", "--http", "--port", str(port), *options]
    process = spawn(command, log, env={**os.environ, "FINANCE_BASE": base})

    def listens() -> bool:
        assert process.poll() is None, log.read_text()
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            try:
                connection.request("GET", "/mcp")
                return connection.getresponse().status == 401
            except ConnectionRefusedError:
                return False

    try:
        wait_until(listens)
        yield port
        assert "Traceback" not in log.read_text(), log.read_text()
    finally:
        process.terminate()
        process.wait(60)
