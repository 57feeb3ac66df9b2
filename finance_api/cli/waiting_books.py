"""Followed books that were refused: they show on the page Import until somebody answers."""

from contextlib import suppress
from io import SEEK_END
from typing import BinaryIO

from finance_api.cli.context import CliContext
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.following import FollowedBook
from finance_api.storage.errors import NotFound
from finance_api.storage.interface import Upload, UploadState, User
from finance_api.values.ids import derived_id
from finance_api.values.text import shown
from finance_api.wording import Writer

_PIECE_BYTES = 1 << 18
#: A waiting book is kept for ten years, not for an hour.
_KEPT_SECONDS = 10 * 365 * 86_400


def show_waiting(
    cli: CliContext, user: User, book: FollowedBook, refused: ImportRefused, stream: BinaryIO
) -> None:
    """Keep the book as an upload that can be tried again. stream: the file."""
    size = stream.seek(0, SEEK_END)
    stream.seek(0)
    text = refused.joined(lambda question: Writer().text(question.fact), Writer().text)
    why = f"This book is followed, and its file {shown(book.path)} was refused: {text}."
    is_kept = size <= cli.settings["finance_api.imports.max_upload_bytes"]
    if not is_kept:
        why += " It is too large for this page: answer with 'finance-api import'."
    now = cli.clock.now()
    upload = Upload(
        id=_waiting_id(user, book.source),
        name=shown(book.path.rpartition("/")[2]),
        size=size if is_kept else 0,
        created_at=now + _KEPT_SECONDS,
        state=UploadState.FAILED,
        alive_at=now,
        options=dict(book.options),
        outcome={"why": why},
    )
    pieces = iter(lambda: stream.read(_PIECE_BYTES), b"") if is_kept else ()
    with cli.writing() as storage:
        storage.uploads.delete(user.id, upload.id)
        storage.uploads.add(user.id, upload, pieces)


def forget_waiting(cli: CliContext, user: User, source: str) -> None:
    """Forget that a book waits for an answer, if it does."""
    upload_id = _waiting_id(user, source)
    with suppress(NotFound):
        with cli.reading() as storage:
            storage.uploads.get(user.id, upload_id)
        with cli.writing() as writable:
            writable.uploads.delete(user.id, upload_id)


def _waiting_id(user: User, source: str) -> str:
    return derived_id(user.uuid, "waiting book", source)
