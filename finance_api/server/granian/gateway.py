"""Between granian and the application: PEP 3333, and the checks that can still be made here.

granian parses messages itself (with hyper), and hands over what is left of them. What it has
dropped by then cannot be checked any more; docs/settings.md says what that is.
"""

import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, Protocol

from finance_api.server.environment import SAME_FOR_ALL, plain_path
from finance_api.server.granian.body import Bodies, Overdue
from finance_api.server.granian.settings import GranianSettings
from finance_api.server.head import HOST
from finance_api.server.lead import Lead
from finance_api.server.refusal import Refusal, refusal_answer, report_failure

Headers = list[tuple[str, str]]

# granian names itself unless something else is named.
_ANY: Headers = [("Server", "finance_api")]
_LAST: Headers = [*_ANY, ("Connection", "close")]
_METHOD = re.compile(r"[A-Z][A-Z-]{0,31}")
# What is sent by parts is kept in memory up to here, then on disk.
_SPOOL_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 16


class Exchange(Protocol):
    """granian's side of one answer."""

    def response_bytes(self, status: int, headers: Headers, body: bytes) -> None: ...

    def response_iter(self, status: int, headers: Headers, body: "Chunks") -> None: ...


class Gateway:
    """What granian calls in one of its threads, for each request."""

    def __init__(self, app: Any, settings: GranianSettings) -> None:
        self._app = app
        self._bodies = Bodies(settings.body_seconds)
        self._same = {**SAME_FOR_ALL, "wsgi.multiprocess": settings.workers > 1}
        self._is_ending = False
        self._lead = Lead()
        self._changed = threading.Condition()
        self._working = 0

    def __call__(self, exchange: Exchange, environ: dict[str, Any]) -> None:
        with self._changed:
            self._working += 1
        self._lead.begin()
        try:
            self._serve(exchange, environ)
        except Overdue as refusal:
            _refuse(exchange, refusal)
            refusal.wait()
        except Refusal as refusal:
            _refuse(exchange, refusal)
        except BaseException as error:
            # SystemExit too, which would end one of granian's threads.
            _refuse(exchange, report_failure(error))
        finally:
            with self._changed:
                self._working -= 1
                if self._is_ending:
                    self._changed.notify_all()
            # What it holds is not needed while the thread stands by.
            environ.clear()
            if not self._lead.end():
                # A thread of granian's that does not come back gets no more requests.
                self._lead.stand_by()

    def end(self) -> None:
        """From now on each answer is the last one of its connection."""
        self._is_ending = True
        self._lead.give_up()

    def wait_idle(self, seconds: float) -> bool:
        """Wait for work whose client has gone, which granian does not; False if it takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._working, seconds)

    def _serve(self, exchange: Exchange, environ: dict[str, Any]) -> None:
        _check(environ)
        _correct(environ)
        environ.update(self._same)
        environ["wsgi.input"] = self._bodies.read(
            environ["wsgi.input"], environ.get("CONTENT_LENGTH", "0")
        )
        answer = _Answer(lambda: _LAST if self._is_ending else _ANY)
        parts = self._app(environ, answer.start)
        try:
            answer.send(exchange, parts)
        finally:
            if hasattr(parts, "close"):
                parts.close()


def _check(environ: dict[str, Any]) -> None:
    if not _METHOD.fullmatch(environ["REQUEST_METHOD"]):
        raise Refusal(400, "the request line is malformed")
    if "HTTP_TRANSFER_ENCODING" in environ:
        # A Content-Length that came with it is gone by now if it came last.
        raise Refusal(400, "this server takes bodies with Content-Length only")
    if not environ["QUERY_STRING"].isascii():
        raise Refusal(
            400, "the request target holds bytes that have to be percent-encoded, as in caf%C3%A9"
        )
    path = environ["PATH_INFO"]
    if not path.startswith("/") and (path, environ["REQUEST_METHOD"]) != ("*", "OPTIONS"):
        raise Refusal(400, "the request target is neither a path nor an http URL")
    host = environ["HTTP_HOST"]
    if not host:
        # granian makes no difference between none and an empty one.
        if environ["SERVER_PROTOCOL"] == "HTTP/1.1":
            raise Refusal(400, "the Host header is missing")
    elif not HOST.fullmatch(host.encode("latin-1")):
        raise Refusal(400, "the Host header is malformed")


def _correct(environ: dict[str, Any]) -> None:
    """What granian puts otherwise than PEP 3333 and waitress."""
    if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
        # Nobody looks at such a body, so nobody waits for it; granian skips it or closes.
        environ.pop("CONTENT_LENGTH", None)
    if environ["SERVER_PROTOCOL"] == "HTTP/1":
        environ["SERVER_PROTOCOL"] = "HTTP/1.0"
    if not environ["HTTP_HOST"]:
        del environ["HTTP_HOST"]
    path = environ["PATH_INFO"]
    environ["PATH_INFO"] = "/" if path == "*" else plain_path(path)
    environ["REMOTE_HOST"] = environ["REMOTE_ADDR"]


def _refuse(exchange: Exchange, refusal: Refusal) -> None:
    headers, body = refusal_answer(refusal)
    if refusal.status == 503:
        headers.append(("Retry-After", "1"))
    # Nothing is done where an answer was given already.
    exchange.response_bytes(refusal.status, [*headers, *_LAST], body)


class _Answer:
    """What the application answers."""

    def __init__(self, added: Callable[[], Headers]) -> None:
        """added: headers beside the application's, asked for when it answers."""
        self._added = added
        self._status = 0
        self._headers: Headers = []
        self._written: list[bytes] = []

    def start(
        self, status: str, headers: Headers, exc_info: object = None
    ) -> Callable[[bytes], None]:
        """PEP 3333's ``start_response``."""
        self._status = int(status[:3])
        self._headers = [*headers, *self._added()]
        return self._written.append

    def send(self, exchange: Exchange, parts: Iterable[bytes]) -> None:
        if isinstance(parts, list) and not self._written:
            exchange.response_bytes(self._status, self._headers, b"".join(parts))
            return
        # Made whole first: where the parts break off, granian would end the answer as if it were
        # complete.
        with tempfile.SpooledTemporaryFile(_SPOOL_BYTES) as spool:
            for part in parts:
                # What was written comes before it; an application may write only then.
                self._flush(spool)
                spool.write(part)
            self._flush(spool)
            size = spool.tell()
            spool.seek(0)
            if size <= _SPOOL_BYTES:
                exchange.response_bytes(self._status, self._headers, spool.read())
                return
            if not any(name.lower() == "content-length" for name, _ in self._headers):
                self._headers.append(("Content-Length", str(size)))
            exchange.response_iter(self._status, self._headers, Chunks(spool))

    def _flush(self, spool: IO[bytes]) -> None:
        spool.writelines(self._written)
        self._written.clear()


class Chunks:
    """The pieces of a file, as granian takes them."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = self._file.read(_CHUNK_BYTES)
        if not chunk:
            raise StopIteration
        return chunk

    def close(self) -> None:
        """Called by granian at the end; the file is closed elsewhere."""
