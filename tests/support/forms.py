"""Sends the form of every route that takes one, as a browser does from the form's page."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from webtest import TestResponse

from finance_api.web.object_pages import OBJECT_PAGES
from finance_api.web.routes import ROUTES
from support.browser import PASSWORD
from support.html import forms
from support.native_rows import account, category, label, record, record_rule, uid
from support.service import Service
from support.uploads import post_file
from support.world import World

#: The records of the forms, beside those of the household.
_PAIR = (101, 102)
_SHOP, _REMOVED, _JOINED, _SPLIT, _NEWS = 103, 104, 105, 106, 107


def rows() -> list[dict[str, Any]]:
    """Return rows that make every form possible: a transfer, a rule, an account without records."""
    return [
        record(_PAIR[0], accountId=uid("Account", 1), amount=-70),
        record(_PAIR[1], accountId=uid("Account", 3), amount=70),
        *(record(n, payee="Corner Shop", amount=-5) for n in range(_SHOP, _SPLIT + 1)),
        record(_NEWS, payee="News Stand", amount=-5),
        record_rule(101, keywords=["shop"], categoryId=uid("Category", 1)),
        account(101, name="Unused"),
        category(101, name="Unused"),
        label(101, name="Unused"),
    ]


#: Route -> the page with its form, if that has another path; and what is filled in.
_PAGES = {
    "settings.logout": "/settings/usage",
    "settings.password": "/settings/security",
    "settings.token_regenerate": ROUTES["settings.token"],
    "record.unlink": ROUTES["record"],
    "import.confirm": ROUTES["import.upload"],
    "import.discard": ROUTES["import.upload"],
}
#: The forms that need nothing but a button.
_WITHOUT_FIELDS = (
    *("import.again", "record.join", "transfers", "duplicates", "standing-orders"),
    "categories",
)
_FILLED: dict[str, dict[str, Any]] = {
    "accounts.new": {"name": "forged", "currencyCode": "EUR"},
    "budgets.new": {"name": "forged", "currencyCode": "EUR", "limitAmount": "5"},
    "goals.new": {"name": "forged", "currencyCode": "EUR"},
    "rules.new": {"keywords": "forged", "categoryId": uid("Category", 1)},
    "standing-orders.new": {"name": "forged", "currencyCode": "EUR", "amount": "5"},
    "categories.new": {"name": "forged"},
    "labels.new": {"name": "forged"},
    "payee": {"payee": "Corner Shop", "into": "The Corner Shop"},
    "payees": {"payee": "News Stand", "into": "The News Stand"},
    "payees.categories": {"payee": "News Stand", "category": uid("Category", 1)},
    "record.new": {"amount": "5", "accountId": uid("Account", 1)},
    "record.link": {"other": uid("Record", _PAIR[1])},
    "record.split": {"amount-1": "2", "amount-2": "3"},
    "records.rule": {"keyword": "shop", "category": uid("Category", 1)},
    "question.new": {"name": "forged", "address": "/v1/api/records"},
    "settings.token_new": {"name": "forged", "scopes": "records"},
    "settings.password": {
        "current_password": PASSWORD,
        "new_password": "another long password",
        "repeated_password": "another long password",
    },
}


#: Route -> the query of its page, if the page needs one.
_QUERIES = {"payee": "?name=Corner+Shop"}
#: Route -> the record of its form, if the household has no such record.
_RECORDS = {
    "record.link": _PAIR[0],
    "record.remove": _REMOVED,
    "record.join": _JOINED,
    "record.split": _SPLIT,
    "records.category": _SHOP,
    "records.rule": _SHOP,
}


def post_routes(service: Service) -> list[str]:
    """Return the names of all routes of signed-in users that take forms."""
    found = set()
    for view in service.app.registry.introspector.get_category("views"):
        methods = view["introspectable"]["request_methods"] or ("GET", "POST")
        if "POST" in ((methods,) if isinstance(methods, str) else methods):
            found.add(view["introspectable"]["route_name"])
    return sorted((found & ROUTES.keys()) - {"settings.login"})


class FormsWorld(World):
    """A user whose data allows every form."""

    def __init__(self, service: Service, more: Iterable[dict[str, Any]] = ()) -> None:
        super().__init__(service)
        service.load(self.user, [*rows(), *more])

    def _id(self, name: str) -> str:
        if name in _RECORDS:
            return uid("Record", _RECORDS[name])
        if name.endswith(".remove") and name.partition(".")[0] in OBJECT_PAGES:
            kind = OBJECT_PAGES[name.partition(".")[0]].resource.model_type
            return uid(kind, 101 if kind in ("Account", "Category", "Label", "RecordRule") else 1)
        return super()._id(name)

    def prepared(
        self, route: str, entered: Mapping[str, Any] = MappingProxyType({})
    ) -> Callable[[], TestResponse]:
        """Return a function that sends the route's form. The form's page is loaded now.

        entered: values of further fields.
        """
        visitor, path = self.visitor, self.path(route) + _QUERIES.get(route, "")
        if route == "import":
            return partial(post_file, visitor, self.statement, csrf=visitor.csrf("/import"))
        if route == "records":
            fields = {**self._confirmation(), "csrf_token": visitor.csrf()}
            return partial(visitor.post, path, fields)
        if route == "record.join":
            split = path.replace("join", "split")
            visitor.submit(split, split, status=303, **_FILLED["record.split"])
        if route in _WITHOUT_FIELDS:
            return partial(visitor.post, path, {"csrf_token": visitor.csrf(), "do": "find"})
        if route == "records.category":
            row = {"category": "Straße", "seen": "", "csrf_token": visitor.csrf()}
            return partial(visitor.post, path, row)
        if route == "question.links_revoke":
            asked = self.linked.question
            given = {"question": asked.id, "name": asked.name, "address": asked.address}
            shared = f"/questions/new?{urlencode({'share': 'yes', **given})}"
            visitor.submit(shared, "/questions/new", status=303)
        page = _PAGES.get(route, path)
        text = visitor.get(page.format(id=self._id(route))).text
        form = [form for form in forms(text) if form.action == path][-1]
        button = [("do", "apply")] if route == "records.rule" else []
        filled = form.filled({**_FILLED.get(route, {}), **entered})
        return partial(visitor.post, path, filled + button)
