"""Runs the service as a process. Writes users and data directly to the storage."""

import http.client
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext

from finance_api.auth.jwt_keys import KeyRing, add_signing_key
from finance_api.auth.jwts import JwtRules, issue_jwt
from finance_api.auth.personal_tokens import digest, issue_token
from finance_api.auth.question_links import new_secret
from finance_api.auth.sessions import start_session
from finance_api.auth.user_accounts import make_user
from finance_api.demo import Household
from finance_api.ledger.importing import import_file, import_rows
from finance_api.ledger.orders import ImportOrder, make_order
from finance_api.questions.saved import add_question
from finance_api.runtime.clock import SystemClock
from finance_api.storage.interface import (
    Jwt,
    Question,
    QuestionLink,
    Storage,
    Upload,
    User,
    WritableStorage,
    unit_of_work,
)
from finance_api.storage.sql.backend import SqlBackend
from finance_api.uploads.jobs import add_upload
from finance_api.uploads.work import UploadWork
from finance_api.values.ids import new_id
from finance_api.values.time import DAY_SECONDS
from support.ledger import IMPORT_SETTINGS
from support.process import ServerProcess
from support.programs import free_port

PASSWORD = "correct horse battery staple"

#: As in development.ini.

_JWT_RULES = JwtRules(("finance_api",), "finance_api", max_ttl_seconds=2_592_000, leeway_seconds=5)


class Site:
    """A server with the settings of development.ini, in ``directory``."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        (directory / "var").mkdir()
        self._backend = SqlBackend(f"sqlite:///{directory}/var/finance.db")
        self._backend.upgrade()
        self._key_file = f"{directory}/var/jwt-keys.json"
        add_signing_key(self._key_file, now=0, overlap_seconds=0)
        self._clock = SystemClock()
        self._numbers = itertools.count(1)
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._server = ServerProcess(self._directory, port=self._port)
        self._server.wait()

    def stop(self) -> None:
        """Stop the server. Fails if it has logged any problem."""
        try:
            code = self._server.stop()
        finally:
            self._backend.close()
        assert code == 0, self.log
        assert "Traceback" not in self.log and " ERROR " not in self.log, self.log

    @property
    def log(self) -> str:
        return self._server.said

    # -- what there is

    def now(self) -> int:
        return self._clock.now()

    def change(self, work: Callable[[Storage], Any]) -> Any:
        """Call ``work`` with the storage in a new transaction."""
        with unit_of_work(self._backend) as storage:
            return work(storage)

    def user(
        self, email: str | None = None, *, premium: bool = True, password: str | None = None
    ) -> User:
        """Make a user. Without a password, sign in by `enter`, which takes less time."""
        address = email or f"user{next(self._numbers)}@example.org"
        made: User = self.change(
            lambda s: make_user(s, address, premium=premium, password=password, now=self.now())
        )
        return made

    def load_demo(self, user: User, records: int = 200) -> None:
        household = Household(1, records, self.now())
        import_rows(
            self._backend, user.email, household.documents(), household.records, now=self.now()
        )

    def load(self, user: User, rows: list[dict[str, Any]]) -> None:
        """Import native rows."""
        data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        import_file(self._backend, ImportOrder(user.email, BytesIO(data), now=self.now()))

    def import_file(self, user: User, content: bytes, **given: Any) -> None:
        how = {"email": user.email, "now": self.now(), "name": "bank.csv"}
        import_file(self._backend, make_order(BytesIO(content), given, IMPORT_SETTINGS, **how))

    def upload(self, user: User, name: str, content: bytes, **state: Any) -> Upload:
        """Store an upload that was sent and checked. state: fields that replace the result of the
        check.
        """
        now = self.now()
        file = {"name": name, "pieces": [content], "size": len(content), "now": now}
        upload: Upload = self.change(
            lambda s: add_upload(s, user.id, **file, max_waiting_bytes=100 << 20)
        )
        if state:
            changed: Upload = self.change(lambda s: s.uploads.change(user.id, upload, **state))
            return changed
        UploadWork(self._backend, IMPORT_SETTINGS, user, upload, now, "127.0.0.1").run()
        return upload

    def token(self, user: User, name: str, *, at: int | None = None, **options: Any) -> str:
        """Make a token and return its text. at: when it was made; by default now."""
        made_at = self.now() if at is None else at
        text: str = self.change(lambda s: issue_token(s, user, name=name, now=made_at, **options))
        return text

    def save_questions(self, user: User, questions: Mapping[str, str]) -> None:
        """Save questions: addresses below /v1/api/ by their names."""

        def work(storage: WritableStorage) -> None:
            for name, address in questions.items():
                asked = {"name": name, "address": f"/v1/api/{address}", "now": self.now()}
                add_question(storage, user, **asked)

        self.change(work)

    def link_questions(self, user: User, secret: str) -> None:
        """Give each question of the user two links. secret: that of the question with a chart."""

        def work(storage: WritableStorage) -> None:
            for question in storage.users.list_owned(Question, user.id):
                for number, name in enumerate(("Sheet at home", "W" * 100)):
                    is_known = question.name == "Groceries by month" and number == 0
                    link = QuestionLink(
                        id=new_id(),
                        user_id=user.id,
                        question_id=question.id,
                        name=name,
                        sha256=digest(secret if is_known else new_secret()),
                        created_at=self.now(),
                        expires_at=self.now() + 86_400 if number else None,
                    )
                    storage.users.add_owned(link)

        self.change(work)

    def jwt(self, user: User, *, at: int | None = None, seconds: int = 3_600) -> tuple[str, Jwt]:
        """Make a JSON Web Token: its text, and the stored row."""
        made: tuple[str, Jwt] = self.change(
            lambda storage: issue_jwt(
                storage,
                storage.users.get(user.email),
                keys=KeyRing(self._key_file, ()).keys(),
                rules=_JWT_RULES,
                now=self.now() if at is None else at,
                ttl_seconds=seconds,
            )
        )
        return made

    def use(self, user: User, requests: int) -> None:
        """Add this many requests to today's usage."""
        today = self.now() - self.now() % DAY_SECONDS
        self.change(lambda storage: storage.usage.add({(user.id, today, ""): requests}))

    def enter(self, context: BrowserContext, user: User, agent: str = "Tests/1.0") -> None:
        """Sign in without the form."""
        secret = self.change(
            lambda storage: start_session(storage, user, now=self.now(), user_agent=agent)
        )
        cookie = {"name": "finance_session", "value": secret, "url": self.url, "sameSite": "Lax"}
        context.add_cookies([{**cookie, "httpOnly": True}])  # type: ignore[list-item]

    # -- what a program asks

    def get(self, path: str, credential: str) -> int:
        """GET a path as a program does. Return the status."""
        return self.fetch(f"{self.url}{path}", {"Authorization": f"Bearer {credential}"})

    def fetch(self, url: str, headers: Mapping[str, str]) -> int:
        parts = urlsplit(url)
        assert f"{parts.scheme}://{parts.netloc}" == self.url
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        try:
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", path, headers=dict(headers))
            return connection.getresponse().status
        finally:
            connection.close()

    def spend(self, token: str, requests: int) -> None:
        """Send this many requests quickly."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        headers = {"Authorization": f"Bearer {token}"}
        for _ in range(requests):
            connection.request("GET", "/v1/api/accounts", headers=headers)
            response = connection.getresponse()
            response.read()
            assert response.status == 200
        connection.close()


@contextmanager
def running_site(directory: Path) -> Iterator[Site]:
    site = Site(directory)
    site.start()
    try:
        yield site
    finally:
        site.stop()
