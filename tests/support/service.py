"""A whole service over one storage, and users who speak to it over HTTP."""

import atexit
import inspect
import io
import itertools
import json
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import cached_property, partial
from typing import Any
from unittest.mock import patch
from urllib.parse import quote
from zlib import crc32

import pytest
from jinja2 import FileSystemBytecodeCache
from pyramid_jinja2 import IJinja2Environment
from webtest import TestApp, TestResponse

from finance_api import make_app
from finance_api.auth.jwt_keys import add_signing_key, signing_key
from finance_api.auth.jwts import Claims, sign_jwt
from finance_api.auth.personal_tokens import issue_token
from finance_api.auth.user_accounts import make_user
from finance_api.importers.interface import StatementImporter
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import ImportOrder, ImportReport, StatementOptions
from finance_api.runtime.clock import Clock, SystemClock
from finance_api.runtime.logs import set_up_logs
from finance_api.services import Services, make_services
from finance_api.settings import SETTINGS, read_settings
from finance_api.storage.interface import Storage, StorageBackend, User, open_backend, unit_of_work
from finance_api.values.ids import new_id
from finance_api.values.time import DAY_SECONDS
from finance_api.web import rendering
from support.clock import HeldClock

#: The storages that a service can use.
STORAGES = ("memory", "sqlite", "postgresql")
#: By day (without `make nightly`) all tests use this storage, and a few the others: the same few at
#: every run.
BY_DAY = "sqlite"
#: PostgreSQL behind a pooler.
POOLED = ("pgbouncer_transaction", "pgbouncer_session")
#: Without the read model.
PLAIN = {"plain_sqlite": "sqlite", "plain_postgresql": "postgresql"}

#: For tests that do not depend on the storage.
on_one_storage = pytest.mark.parametrize("storage_of_service", ["memory"])

_numbers = itertools.count(1)

#: Limits that tests do not reach. Tests of limits set their own.
_SETTINGS = {
    "finance_api.ratelimit.public": "1000000/hour",
    "finance_api.ratelimit.internal": "100000/hour",
    "finance_api.ratelimit.failed_auth": "1000000/hour",
    "finance_api.ratelimit.links": "1000000/hour",
    "finance_api.max_data_requests": "1000",
}

#: The limits of a service that sets none.
USUAL_LIMITS = {s.name: s.default for s in SETTINGS if s.name in _SETTINGS}


class Client:
    """One user with a token, as seen from outside."""

    def __init__(self, service: "Service", user: User, token: str) -> None:
        self.service = service
        self.user = user
        self.token = token

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(
        self, path: str, *, headers: dict[str, str] | None = None, **query: Any
    ) -> TestResponse:
        """GET a path below /v1/api/, with any status. query: a list repeats the parameter.

        All of the query is percent-encoded. To send a raw query, put it into the path.
        """
        return self._get(f"/v1/api/{path}", {**self.headers, **(headers or {})}, query)

    def internal(
        self, path: str, *, headers: dict[str, str] | None = None, **query: Any
    ) -> TestResponse:
        """GET a path below /internal/v1/ with a JSON Web Token; see `get`."""
        credential = {"Authorization": f"Bearer {self.service.jwt(self.user)}"}
        return self._get(f"/internal/v1/{path}", {**credential, **(headers or {})}, query)

    def _get(self, path: str, headers: dict[str, str], query: dict[str, Any]) -> TestResponse:
        pairs = [
            f"{quote(name, safe='')}={quote(str(value), safe='')}"
            for name, values in query.items()
            for value in (values if isinstance(values, list) else [values])
        ]
        url = path + ("?" + "&".join(pairs) if pairs else "")
        return self.service.web.get(url, headers=headers, status="*", expect_errors=True)

    def exact(self, path: str, **query: Any) -> Any:
        """GET a path, which must return 200. Return its JSON, with exact numbers."""
        response = self.get(path, **query)
        assert response.status_int == 200, response.text
        return json.loads(response.text, parse_float=Decimal)

    def fault(self, path: str, **query: Any) -> dict[str, str]:
        """GET a path, which must return 400 with one fault. Return the fault."""
        response = self.get(path, **query)
        assert response.status_int == 400, (path, query, response.text)
        (fault,) = response.json["errors"]
        return dict(fault)

    def names(self, path: str, field: str, **query: Any) -> list[Any]:
        """GET a list, which must return 200. Return the values of one field."""
        response = self.get(path, **query)
        assert response.status_int == 200, response.text
        rows = next(v for v in response.json.values() if isinstance(v, list))
        return [row[field] for row in rows]

    def load(self, *rows: dict[str, Any]) -> ImportReport:
        """Import native rows. Decimal values are written exactly."""
        return self.service.load(self.user, rows)

    def statement(self, importer: StatementImporter, **options: Any) -> ImportReport:
        """Import statements that a test makes."""
        return import_file(
            self.service.backend,
            ImportOrder(
                self.user.email,
                io.BytesIO(),
                importer,
                now=self.service.clock.now(),
                options=StatementOptions(**options),
            ),
        )


#: Shared by all applications and test runs: compiling takes longer than most tests.
#: What a template compiles to also depends on the options of its environment.
_options = crc32(inspect.getsource(rendering).encode())
_compiled_templates = FileSystemBytecodeCache(pattern=f"__jinja2_{_options}_%s.cache")


#: Applications of stopped services, by their `_kind`. The next service of this kind takes one over,
#: because making one takes longer than most tests.
_idle: defaultdict[frozenset[tuple[str, str]], list[Any]] = defaultdict(list)
#: Settings that an application reads when it is made. It reads all others with each request.
_READ_ONCE = ("finance_api.plugins", "finance_api.traces", "finance_api.allowed_hosts")
_READ_ONCE += ("finance_api.require_https", "finance_api.cors.origins")
_READ_ONCE += ("finance_api.links.frame_ancestors",)
#: If it is set, making an application loads data, which an application that is taken over lacks.
_PRELOADED = "finance_api.storage.memory.user"


def _kind(settings: dict[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset((name, value) for name, value in settings.items() if name in _READ_ONCE)


def new_services(settings: dict[str, str], clock: Clock) -> Services:
    """Make what an application shares, as `finance_api.main` does."""
    return make_services(read_settings(settings, os.environ), clock)


def new_application(settings: dict[str, str], services: Services) -> Any:
    """Make an application with these services."""
    # pyramid_jinja2 asks for the source line of each frame, and pytest has many frames.
    with patch("inspect.stack", partial(inspect.stack, context=0)):
        app = make_app(settings, services)
    templates = app.registry.queryUtility(IJinja2Environment, name=".jinja2")
    if templates is not None:
        templates.bytecode_cache = _compiled_templates
    return app


def application(settings: dict[str, str], services: Services) -> Any:
    """Return an application with these services: an idle one if there is one."""
    idle = _idle[_kind(settings)]
    if not idle or settings.get(_PRELOADED):
        return new_application(settings, services)
    app = idle.pop()
    app.registry.services = services
    app.registry.settings.update(read_settings(settings, os.environ))
    set_up_logs(app.registry.settings["finance_api.log.format"])
    return app


@contextmanager
def shared_applications() -> Iterator[None]:
    """Make `finance_api.main` take over idle applications, which are idle again afterwards."""
    taken = []

    def main(global_config: dict[str, str], **settings: str) -> Any:
        app = application(settings, new_services(settings, SystemClock()))
        taken.append((_kind(settings), app))
        return app

    with patch("finance_api.main", main):
        try:
            yield
        finally:
            for kind, app in taken:
                _idle[kind].append(app)


class Service:
    """The application with one storage. kind: one of STORAGES."""

    def __init__(self, kind: str, settings: dict[str, str], clock: HeldClock | None = None) -> None:
        self.kind = kind
        directory = tempfile.mkdtemp(prefix="finance-tests-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        self.key_file = f"{directory}/jwt-keys.json"
        add_signing_key(self.key_file, now=0, overlap_seconds=0)
        self.settings = {**_SETTINGS, "finance_api.jwt.keys": self.key_file, **settings}
        self.clock = clock or HeldClock()
        self._services = new_services(self.settings, self.clock)
        self.backend = self._services.storage

    @cached_property
    def app(self) -> Any:
        """The application, which is made late, because some tests only need its storage."""
        return application(self.settings, self._services)

    @cached_property
    def web(self) -> TestApp:
        return TestApp(self.app)

    @property
    def services(self) -> Services:
        found: Services = self.app.registry.services if "app" in vars(self) else self._services
        return found

    def elsewhere(self) -> StorageBackend:
        """Open the storage as another process does. In memory, only this process has it."""
        if self.kind == "memory":
            return self.backend
        return open_backend(read_settings(self.settings, os.environ))

    def replace(self, **changes: Any) -> None:
        """Replace some of the services."""
        self.app.registry.services = replace(self.services, **changes)

    def stop(self) -> None:
        """Close the services, as the server does at its end."""
        self.services.close()
        app = vars(self).pop("app", None)
        if app is not None:
            _idle[_kind(self.settings)].append(app)

    def change(self, work: Callable[[Storage], Any]) -> Any:
        """Call ``work`` with the storage in a new transaction."""
        with unit_of_work(self.backend) as storage:
            return work(storage)

    def client(
        self, *, premium: bool = True, expires_in_days: int | None = None, **token_options: Any
    ) -> Client:
        """Make a new user with a token. token_options: passed to `issue_token`."""
        now = self.clock.now()
        if expires_in_days is not None:
            token_options["expires_at"] = now + expires_in_days * DAY_SECONDS

        def work(storage: Storage) -> Client:
            email = f"user{next(_numbers)}@example.org"
            user = make_user(storage, email, premium=True, password=None, now=now)
            token = issue_token(storage, user, name="test", now=now, **token_options)
            if not premium:
                user = storage.users.update(user.id, premium=False)
            return Client(self, user, token)

        return self.change(work)

    def jwt(self, user: User, **claims: Any) -> str:
        """Make a JSON Web Token of the user, issued now. claims: fields of `Claims`."""
        now = self.clock.now()
        services = self.services
        key = signing_key(services.jwt_keys.keys(), now)
        assert key is not None
        made = {"subject": user.uuid, "jti": new_id(), "issued_at": now, "expires_at": now + 3600}
        return sign_jwt(key, services.jwt_rules, Claims(**{**made, **claims}))

    def load(self, user: User, rows: Iterable[dict[str, Any]]) -> ImportReport:
        data = "".join(native_line(row) for row in rows).encode()
        return import_file(
            self.backend, ImportOrder(user.email, io.BytesIO(data), now=self.clock.now())
        )


@contextmanager
def running_services(
    new_settings: Callable[[str], dict[str, str]],
) -> Iterator[Callable[[str], Service]]:
    """Yield a function that returns the only service of a kind (STORAGES, POOLED or PLAIN)."""
    made: dict[str, Service] = {}

    def of(kind: str) -> Service:
        if kind not in made:
            storage = "postgresql" if kind in POOLED else PLAIN.get(kind, kind)
            made[kind] = Service(storage, new_settings(kind))
        return made[kind]

    yield of
    for service in made.values():
        service.stop()


#: The methods of `Storage.data` that read rows.
_ROW_READERS = ("list_rows", "list_json", "get_rows", "get_json", "scan_rows", "sum_by")
_ROW_READERS += ("list_amounts",)


def read_no_rows(service: Service, monkeypatch: Any) -> None:
    """Make every later request of the service fail with a 500 if it tries to read rows."""
    read = service.backend.read

    def without_rows() -> Storage:
        storage = read()
        for name in _ROW_READERS:
            assert callable(getattr(storage.data, name))
            setattr(storage.data, name, None)
        return storage

    monkeypatch.setattr(service.backend, "read", without_rows)


def native_line(row: dict[str, Any]) -> str:
    """Write a line of the native format. A Decimal becomes a JSON number with all digits."""
    marks: dict[str, str] = {}

    def mark(value: Decimal) -> str:
        key = f"@decimal{len(marks)}@"
        marks[key] = format(value, "f")
        return key

    text = json.dumps(row, default=mark, ensure_ascii=False)
    for key, number in marks.items():
        text = text.replace(f'"{key}"', number)
    return text + "\n"
