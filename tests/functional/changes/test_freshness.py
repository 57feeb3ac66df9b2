"""An entity tag stays only while the body stays, whatever changes besides the user's data.

Asks every endpoint, plainly and with each parameter, on two days, in two base currencies, before
and after new exchange rates.
"""

import io
import re
from itertools import pairwise
from urllib.parse import quote

import pytest

from finance_api.api.openapi.schemas import example_of
from finance_api.importers.rates import read_rates
from finance_api.ledger.exchange_rates import import_rates
from support.native_rows import household, record, uid
from support.service import Service

#: Values besides the examples: those that mean something else on another day, or convert.
MORE = {
    "recordDate": ("eq.today", "gte.-2d", "eq.last-month", "eq.this-month"),
    "lastRecordDate": ("lt.-15d",),
    "createdAt": ("lt.-77d",),
    "updatedAt": ("lt.today",),
    "startDate": ("lte.-77d",),
    "nextDueDate": ("gt.today",),
    "from": ("-1m",),
    "to": ("today",),
    "convertTo": ("USD",),
    "include": ("typical",),
    "fill": ("true",),
    "types": ("budgets", "records"),
    "columns": ("median", "share", "spent", "perDay"),
    "compare": ("year", "last-year"),
    "having": ("firstDate.gte.this-month", "lastDate.lt.-15d"),
    "document_type": ("all",),
}
#: What a parameter needs beside it.
BESIDE = {
    "fill": "payee=eq.Nobody",
    "compare": "recordDate=eq.this-month",
    "columns": "recordDate=gte.this-year",
    "mergeCurrencies": "convertTo=USD",
    "top": "groupBy=payee,month&sortBy=net",
}
#: A cursor of changes contains the moment.
_CURSOR = re.compile(rb'"next":"[^"]*"')


def requests_to(endpoint):
    """Yield queries: none, and one for each value of each parameter."""
    needed = "&".join(
        f"{node.name}={quote(_text(example_of(node.typ.schema)))}"
        for node in endpoint.schema.children
        if node.required
    )
    yield needed
    for node in endpoint.schema.children:
        schema = node.typ.schema
        values = [_text(example_of(schema)), *schema.get("enum", ())[:5]]
        values += schema.get("items", {}).get("enum", ())[:30]
        values += MORE.get(node.name, ())
        for value in dict.fromkeys(map(_text, values)):
            query = f"{node.name}={quote(value)}"
            beside = BESIDE.get(node.name, "")
            for with_others in {"", beside}:
                yield "&".join(
                    filter(None, (needed if not node.required else "", with_others, query))
                )


def _text(value):
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def addresses(registry, prefix):
    for endpoint in registry.endpoints.values():
        has_tag = any(header.name == "ETag" for header in endpoint.response.headers)
        if not has_tag or not endpoint.path.startswith(prefix) or "/questions/" in endpoint.path:
            continue
        kind = next((k for k in KINDS if f"/{k}/" in endpoint.path), None)
        path = endpoint.path.replace("{id}", uid(KINDS[kind], 1) if kind else "")
        for query in requests_to(endpoint):
            yield f"{path}?{query}" if query else path


KINDS = {
    "records": "Record",
    "accounts": "Account",
    "categories": "Category",
    "budgets": "Budget",
    "goals": "Goal",
    "standing-orders": "StandingOrder",
    "labels": "Label",
    "record-rules": "RecordRule",
}


def rates(value):
    return f"date,base,currency,rate\n2026-03-17,EUR,USD,{value}\n2026-03-17,EUR,CHF,0.9\n"


@pytest.fixture
def service():
    """A service that answers every request from the data, with exchange rates of its own."""
    service = Service(
        "memory", {"finance_api.storage": "memory", "finance_api.cache.max_bytes": "0"}
    )
    service.clock.set("2026-03-18T12:00:00Z")
    yield service
    service.stop()


@pytest.fixture
def books(service):
    client = service.client()
    bakery = [record(n, amount=-n, recordDate=f"2026-03-{n:02}") for n in range(4, 20)]
    client.load(*household(), *bakery)
    return client


def change_rates(service, value):
    import_rates(service.backend, read_rates(io.BytesIO(rates(value).encode())), 1)


@pytest.mark.parametrize("surface", ["/v1/api/", "/internal/v1/"])
def test_a_tag_stays_only_while_the_body_stays(books, service, surface):
    user_id = books.user.id
    change_rates(service, "1.1")

    def ask_all():
        token = f"Bearer {service.jwt(books.user)}" if "internal" in surface else None
        headers = {"Authorization": token} if token else books.headers
        answers = {}
        for address in addresses(service.app.registry, surface):
            response = service.web.get(address, headers=headers, status="*", expect_errors=True)
            if response.status_int == 200:
                body = _CURSOR.sub(b"", response.body)
                answers[address] = response.headers["ETag"], body
        return answers

    worlds = [ask_all()]
    service.clock.set("2026-03-19T12:00:00Z")
    worlds.append(ask_all())
    service.change(lambda storage: storage.users.update(user_id, base_currency="CHF"))
    worlds.append(ask_all())
    change_rates(service, "1.2")
    worlds.append(ask_all())

    assert len(worlds[0]) > (500 if "v1/api" in surface else 10)
    changed = []
    for before, after in pairwise(worlds):
        pairs = {each: (before[each], after[each]) for each in before.keys() & after.keys()}
        stale = [
            each for each, (old, new) in pairs.items() if old[0] == new[0] and old[1] != new[1]
        ]
        assert stale == []
        changed.append({each for each, (old, new) in pairs.items() if old[1] != new[1]})
    if "v1/api" in surface:
        # Each of the three changes has changed some body; and most tags have stayed.
        assert all(changed)
        kept = [each for each, (tag, _) in worlds[0].items() if worlds[-1][each][0] == tag]
        assert "/v1/api/records" in kept
        assert len(kept) > len(worlds[0]) / 3
