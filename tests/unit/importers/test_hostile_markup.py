"""Markup that names files and addresses: reading it opens none of them."""

import multiprocessing
import socket
import sys
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from finance_api.importers.interface import ImportRefused
from support.bank_files import camt, camt_entry, camt_statement, read_bank_file
from support.ofx import read_ofx, statement, transaction

#: Events of Python's audit hooks about files, connections and other programs.
WATCHED = ("open", "socket.", "subprocess.", "os.exec", "os.posix_spawn", "urllib.")
#: The text that each test replaces with a reference to an entity.
TEXT = "some text"
READERS = {
    "Document": (read_bank_file, camt(camt_statement([camt_entry("2026-01-05", "-1", ref=TEXT)]))),
    "OFX": (read_ofx, f"<OFX>{statement(transaction(fields=f'<NAME>{TEXT}'))}</OFX>"),
}
_FORK = multiprocessing.get_context("fork")


def _watch(root: str, text: str, answer: Connection) -> None:
    """Send what is opened while the text is read, and then whether it was refused."""
    opened = []

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(WATCHED):
            opened.append(f"{event} {arguments[0]}")

    sys.addaudithook(note)
    try:
        READERS[root][0](text)
        outcome = "read"
    except ImportRefused:
        outcome = "refused"
    except Exception as error:
        outcome = repr(error)
    answer.send([*opened, outcome])


def opened_by(root: str, text: str) -> list[str]:
    """Return what another process opens while it reads the file, and then the outcome."""
    here, there = _FORK.Pipe(duplex=False)
    with here:
        process = _FORK.Process(target=_watch, args=(root, text, there))
        process.start()
        there.close()
        opened: list[str] = here.recv()
        process.join()
    return opened


@pytest.mark.parametrize("root", READERS)
def test_entities_open_no_file_and_no_connection(root: str, tmp_path: Path) -> None:
    read, text = READERS[root]
    # Read a harmless file first, so that lazily imported modules are loaded.
    read(text)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        for place in (f"file://{secret}", str(secret), address):
            for declarations, reference, outcome in (
                (f'[<!ENTITY x SYSTEM "{place}">]', "&x;", "refused"),
                (f'[<!ENTITY % x SYSTEM "{place}"> %x;]', "", "refused"),
                # OFX is markup of its own: it has no document types.
                (f'SYSTEM "{place}"', "", "read" if root == "OFX" else "refused"),
            ):
                hostile = text.replace(f"<{root}", f"<!DOCTYPE {root} {declarations}>\n<{root}", 1)
                assert opened_by(root, hostile.replace(TEXT, reference)) == [outcome]
