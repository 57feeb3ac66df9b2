"""What an application is told of each request alike (PEP 3333)."""

import sys
from typing import Any

SAME_FOR_ALL: dict[str, Any] = {
    "SCRIPT_NAME": "",
    "SERVER_SOFTWARE": "finance_api",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.run_once": False,
    "wsgi.input_terminated": True,
}


def plain_path(path: str) -> str:
    """With one slash at its beginning: more would be taken for the name of a host."""
    return "/" + path.lstrip("/") if path.startswith("//") else path
