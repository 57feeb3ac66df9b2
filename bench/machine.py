"""The machine on which the figures were measured."""

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import version
from pathlib import Path

from bench.postgresql import programs

_PACKAGES = ("pyramid", "SQLAlchemy", "fastapi", "uvicorn", "datasette", "granian", "orjson")


def describe() -> dict[str, str]:
    """Return the facts by name, in the order of the report."""
    return {
        "Processor": f"{_processor()}, {os.cpu_count()} cores",
        "Memory": f"{_memory_bytes() / 2**30:.0f} GB",
        "System": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "PostgreSQL": _postgresql(),
        "Packages": ", ".join(f"{name} {version(name)}" for name in _PACKAGES),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _postgresql() -> str:
    found = programs()
    if found is None:
        return "not installed"
    command = [str(found / "postgres"), "--version"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return said.split()[2]
