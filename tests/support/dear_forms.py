"""What makes the form of each route dear: a user's data, a file, and the texts in the form."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from webtest import TestResponse

from support import dear_data
from support.forms import FormsWorld
from support.html import forms
from support.native_rows import record, record_rule, uid
from support.nightly import count
from support.service import Service

RECORDS, RULES, KEYWORDS = count((40, 10, 5), (1_500, 1_000, 50))
#: The lines of a file.
ORDERS, LINES = count((10, 40), (2_000, 4_000))
_FIRST = 2_000
_KEYWORDS = "; ".join(f"keyword {n} of the form" for n in range(KEYWORDS))
_LONG = "long " * 19
_RARE = {
    "repeats-other": "FREQ=DAILY;INTERVAL=997;BYMONTH=2;BYMONTHDAY=29",
    "recurrenceRule": "other",
    "startDate": "2026-01-01",
}


def _rows() -> Iterator[dict[str, Any]]:
    """Yield records with long texts that no keyword is in, but for the words of some rules."""
    for n in range(_FIRST, _FIRST + RECORDS):
        texts = {"payee": f"merchant {n} {'street ' * 10}", "note": f"note {n} {'word ' * 100}"}
        yield record(n, **texts, categoryId=uid("Category", 1), labelIds=[uid("Label", 1)])
    for n in range(_FIRST, _FIRST + RULES):
        words = [f"keyword {n} number {k}" for k in range(KEYWORDS)]
        yield record_rule(n, keywords=words, categoryId=uid("Category", 1))
    yield record_rule(_FIRST + RULES, keywords=["street"], labelIds=[uid("Label", 2)])
    for order in dear_data.orders(ORDERS):
        yield {**order, "id": uid("StandingOrder", _FIRST + int(order["id"][-12:], 16))}


#: As many as fit into a form.
_PAYEES = [f"merchant {n} {'street ' * 10}" for n in range(_FIRST, _FIRST + min(RECORDS, 600))]


def _file() -> bytes:
    lines = [
        f"2026-0{1 + n % 3}-{1 + n % 28:02},-{1 + n}.50,merchant {n} {'street ' * 20},Purse,EUR\n"
        for n in range(LINES)
    ]
    return "".join(["date,amount,payee,account,currency\n", *lines]).encode()


class Dear(NamedTuple):
    """fields: what is entered in the form. has_data: whether the user has dear data."""

    fields: Mapping[str, Any] = {}
    has_data: bool = True


_NO_DATA = Dear(has_data=False)
#: Route -> what makes its form dear. A route that is missing here fails a test.
FORMS: dict[str, Dear] = {
    **{
        f"{name}.{action}": Dear({"name": f"{action} {_LONG}"})
        for name in ("accounts", "budgets", "categories", "goals", "labels")
        for action in ("new", "edit")
    },
    **{f"rules.{action}": Dear({"keywords": _KEYWORDS}) for action in ("new", "edit")},
    **{f"standing-orders.{action}": Dear(_RARE) for action in ("new", "edit")},
    **{
        f"{name}.remove": Dear()
        for name in (
            *("accounts", "budgets", "categories", "goals", "labels", "rules"),
            "standing-orders",
        )
    },
    "import": Dear(),
    "import.again": Dear(),
    "import.confirm": Dear(),
    "import.discard": Dear(),
    "import.options": Dear(),
    "imports.undo": Dear(),
    "question.new": Dear({"address": "/v1/api/accounts/forecast?include=typical"}),
    "question.edit": Dear({"address": "/v1/api/records/summary?groupBy=payee,day"}),
    "question.link_revoke": _NO_DATA,
    "question.links_revoke": _NO_DATA,
    "question.remove": Dear(),
    "payee": Dear({"payee": _PAYEES, "into": "One for all"}),
    "payees": Dear({"payee": _PAYEES, "into": "One for all"}),
    "payees.categories": Dear(),
    "record": Dear({"payee": _LONG}),
    "record.join": Dear(),
    "record.link": Dear(),
    "record.new": Dear({"payee": _LONG, "note": _LONG}),
    "record.remove": Dear(),
    "record.split": Dear(),
    "record.unlink": Dear(),
    "records": Dear(),
    "records.category": Dear(),
    "records.rule": Dear({"keyword": "street"}),
    "rules.apply": Dear(),
    "settings.jwt_revoke": _NO_DATA,
    "settings.jwt_revoke_all": _NO_DATA,
    "settings.jwts": _NO_DATA,
    "settings.logout": _NO_DATA,
    "settings.password": _NO_DATA,
    "settings.profile": _NO_DATA,
    "settings.session_end": _NO_DATA,
    "settings.sign_out_everywhere": _NO_DATA,
    "settings.token": Dear({"name": _LONG}, has_data=False),
    "settings.token_new": Dear({"name": _LONG}, has_data=False),
    "settings.token_regenerate": _NO_DATA,
    "settings.token_revoke": _NO_DATA,
    "categories": Dear(),
    "standing-orders": Dear(),
    "transfers": Dear(),
    "duplicates": Dear(),
}


class Sent(NamedTuple):
    """A form as a browser sends it."""

    path: str
    body: bytes
    headers: dict[str, str]


class _Caught(Exception):
    """Has the request that would have been sent."""


class DearWorld(FormsWorld):
    """A user whose data and file make the forms of routes dear."""

    statement = _file()

    def __init__(self, service: Service, *, has_data: bool = True) -> None:
        super().__init__(service, _rows() if has_data else ())

    def path(self, name: str) -> str:
        path = super().path(name)
        # The second import has the many records.
        return path.replace("/1/", "/2/") if name == "imports.undo" else path

    def _confirmation(self) -> dict[str, str]:
        """Return the fields of the form that confirms a change of all records."""
        ids = ",".join(uid("Record", n) for n in range(_FIRST, _FIRST + RECORDS))
        asked = {"id": ids, "do": "category", "set_category": "none"}
        page = self.visitor.post("/records", {**asked, "csrf_token": self.visitor.csrf()})
        (form,) = (form for form in forms(page.text) if "seen" in form.names)
        return {k: v for k, v in form.fields if k not in ("csrf_token", "form-user")}

    def sent(self, route: str) -> Sent:
        """Return the route's form, without sending it."""
        send: Callable[[], TestResponse] = self.prepared(route, FORMS[route].fields)
        visitor = self.visitor

        def catch(method: str, path: str, *, body: bytes, headers: Any, **options: Any) -> None:
            raise _Caught(path, body, headers)

        visitor.request = catch  # type: ignore[method-assign, assignment]
        try:
            send()
        except _Caught as caught:
            path, body, headers = caught.args
        finally:
            del visitor.request
        cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        kept = {name: value for name, value in headers.items() if value is not None}
        return Sent(path, body, {"Host": "localhost", "Cookie": cookies, **kept})


class DearWorlds:
    """The users who send the forms: some forms end a session, or what other forms need."""

    _ALONE = ("settings.", "import", "imports.", "question.link")

    def __init__(self, service: Service) -> None:
        self._service = service
        self._shared: DearWorld | None = None

    def sent(self, route: str) -> Sent:
        if route.startswith(self._ALONE):
            return DearWorld(self._service, has_data=FORMS[route].has_data).sent(route)
        if self._shared is None:
            self._shared = DearWorld(self._service)
        return self._shared.sent(route)
