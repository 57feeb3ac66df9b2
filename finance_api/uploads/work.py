"""What is done with an upload: it is looked at, which stores nothing, and imported."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from finance_api.clock import Clock
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.files import FileImport, ImportSettings
from finance_api.ledger.report import ImportReport
from finance_api.ledger.session import LedgerSession
from finance_api.storage.errors import Conflict, NotFound, StorageError
from finance_api.storage.interface import (
    StorageBackend,
    Upload,
    UploadState,
    User,
    unit_of_work,
)
from finance_api.uploads.outcomes import headings_of, preview_of, refusal_of
from finance_api.uploads.stored_uploads import content_of

logger = logging.getLogger(__name__)

_UNAVAILABLE = (
    "The database was unavailable, perhaps because another import was running. Nothing was changed."
)
_UNEXPECTED = "Something went wrong on the server. Nothing was changed."


class _DataMoved(Exception):
    """The data is not what the preview was made of."""


@dataclass(frozen=True)
class UploadWork:
    """Does what an upload's state says, and keeps what came of it."""

    backend: StorageBackend
    clock: Clock
    settings: ImportSettings
    #: Is told what becomes of an import: done, refused or failed.
    on_import: Callable[[str], None] = lambda outcome: None

    def do(self, user: User, upload: Upload, origin: str) -> None:
        """upload: CHECKING or IMPORTING. origin: see `WritableStorage`. Raises nothing."""
        try:
            if upload.state is UploadState.IMPORTING:
                self._import(user, upload, origin)
            else:
                self._check(user, upload)
        except (NotFound, Conflict) as error:
            # It was discarded or changed, or its user is gone: nobody waits for it.
            logger.info("uploads: %s", error)
        except StorageError as error:
            logger.error("uploads: %s", error)
            self._fail(user, upload, _UNAVAILABLE)
        except Exception as error:
            # The message may hold data of the user.
            logger.error("uploads: unexpected %s", type(error).__name__, exc_info=error)
            self._fail(user, upload, _UNEXPECTED)

    def _check(self, user: User, upload: Upload, *, moved: bool = False) -> None:
        preview: dict[str, Any] = {"moved": moved}

        def end(session: LedgerSession, report: ImportReport) -> None:
            preview.update(preview_of(session, report))

        file = self._run(user, upload, dry_run=True, end=end)
        if file is not None:
            preview["headings"] = headings_of(file)
            self._keep(user, upload, UploadState.READY, preview)

    def _import(self, user: User, upload: Upload, origin: str) -> None:
        """The import and its result are kept together, so that neither is without the other."""

        def begin(session: LedgerSession, report: ImportReport) -> None:
            if session.before.tag != upload.outcome["tag"]:
                raise _DataMoved

        def end(session: LedgerSession, report: ImportReport) -> None:
            uploads = session.storage.uploads
            outcome = preview_of(session, report)
            uploads.change(user.id, upload, state=UploadState.DONE, outcome=outcome)
            uploads.drop_content(user.id, upload.id)

        try:
            file = self._run(user, upload, dry_run=False, origin=origin, begin=begin, end=end)
        except _DataMoved:
            self._check(user, upload, moved=True)
        else:
            self.on_import("refused" if file is None else "done")

    def _run(self, user: User, upload: Upload, **how: Any) -> FileImport | None:
        """The file, if it was read to its end; else its refusal is kept."""
        file: FileImport | None = None
        with content_of(self.backend, user.id, upload) as stream:
            try:
                file = FileImport(stream, upload.options, self.settings)
                now = self.clock.now()
                file.run(self.backend, user.email, now=now, name=upload.name, **how)
            except ImportRefused as refused:
                self._keep(user, upload, UploadState.ASKING, refusal_of(refused, file))
                return None
        return file

    def _fail(self, user: User, upload: Upload, why: str) -> None:
        if upload.state is UploadState.IMPORTING:
            self.on_import("failed")
        try:
            self._keep(user, upload, UploadState.FAILED, {**upload.outcome, "why": why})
        except StorageError as error:
            # It is found when it is looked at: nobody is heard of who works at it.
            logger.error("uploads: %s", error)

    def _keep(
        self, user: User, upload: Upload, state: UploadState, outcome: dict[str, Any]
    ) -> None:
        with unit_of_work(self.backend) as storage:
            storage.uploads.change(user.id, upload, state=state, outcome=outcome)
