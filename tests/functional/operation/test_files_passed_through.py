"""How many of our own files a request or an import passes through.

A developer who follows one through the code has to read these files. The limits are the current
numbers, so that adding a file to one of these paths is a conscious decision.
"""

import sys
import threading
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import finance_api
from support.browser import Visitor
from support.command import Command
from support.service import Client, Service
from support.uploads import STATEMENT, do, sent

PACKAGE = str(Path(finance_api.__file__).parent)
OFX = (Path(__file__).parents[2] / "samples/ofx/current-account.ofx").read_bytes()
#: A file that the profile `mint` reads.
MINT = b"""\
Date,Description,Original Description,Amount,Transaction Type,Category,Account Name,Labels,Notes
3/14/2026,Corner Shop,CORNER SHOP 12,12.50,debit,Groceries,Checking,,
3/15/2026,Employer,EMPLOYER LTD,2000.00,credit,Salary,Checking,,
"""

Figures = Callable[[str], None]
pytestmark = pytest.mark.parametrize("storage_of_service", ["sqlite"])


@contextmanager
def passed_through() -> Iterator[Set[str]]:
    """Collect the files of the package whose functions run, in any thread."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(PACKAGE):
            files.add(code.co_filename.removeprefix(PACKAGE))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield files
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


@pytest.fixture
def command(service: Service, tmp_path: Path) -> Command:
    url = service.backend.engine.url.render_as_string(hide_password=False)
    return Command(tmp_path, {"sqlalchemy.url": url})


class _InThisProcess:
    """Does the work of a `LimitedProcess` in this process, where `sys.setprofile` sees it."""

    reported = None

    def __init__(self, limits: object, work: Callable[..., Any], *arguments: Any) -> None:
        self._call = lambda: work(*arguments)

    def result(self) -> Any:
        return self._call()


def judged(files: Set[str], most: int, figures: Figures) -> None:
    figures(f"{len(files)} files, at most {most}")
    assert len(files) <= most, sorted(files)


def test_a_page_of_records(client: Client, figures: Figures) -> None:
    client.get("records")
    with passed_through() as files:
        assert client.get("records", limit=10).status_int == 200
    judged(files, 50, figures)


@pytest.mark.parametrize(
    ("data", "options", "most"),
    [(OFX, (), 80), (MINT, ("--currency", "EUR"), 107)],
    ids=["ofx", "csv"],
)
def test_an_import(
    command: Command,
    client: Client,
    data: bytes,
    options: tuple[str, ...],
    most: int,
    figures: Figures,
) -> None:
    path = command.file("statement", data)
    with passed_through() as files:
        assert "created" in command.done("import", client.user.email, path, *options).decode()
    judged(files, most, figures)


def test_an_upload(visitor: Visitor, figures: Figures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finance_api.runtime.limited_process.LimitedProcess", _InThisProcess)
    visitor.get("/import")
    with passed_through() as files:
        path = sent(visitor, STATEMENT)
        do(visitor, path, "confirm")
        assert "Imported" in visitor.get(path).text
    judged(files, 123, figures)
