"""Asking the API from inside: answers as values, to whoever may have them."""

import json
import re
from decimal import Decimal

import pytest

from finance_api.planning.answers import OtherRevision, ParametersRefused, Reading
from finance_api.questions.addresses import AddressRefused
from finance_api.questions.answering import answer, document_of
from finance_api.questions.asking import ask, fault_of, find, question_paths
from finance_api.runtime.bulkhead import BulkheadFull
from finance_api.storage.interface import Question
from support.browser import new_token
from support.native_rows import account, budget, record, standing_order, uid
from support.question_links import RECORDS, SUMMARY, UPCOMING, Linked
from support.question_links import household as linked_household
from support.service import Client, on_one_storage


class Inside:
    """Asks within a request of the application, as a user."""

    def __init__(self, client):
        self.client, self.service = client, client.service
        self.registry = self.service.app.registry

    def within(self, work):
        with self.service.app.request_context({"REQUEST_METHOD": "GET", "PATH_INFO": "/"}) as made:
            try:
                return work(made, made.storage.users.get(self.client.user.email))
            finally:
                made.close_storage()

    def ask(self, address, **options):
        def work(request, user):
            reading = Reading(request.storage, user, request.now, **options)
            return ask(self.registry, reading, f"/v1/api/{address}")

        return self.within(work)

    def answer(self, address):
        question = Question("1", self.client.user.id, "mine", f"/v1/api/{address}", 0, 0)
        return self.within(lambda request, user: answer(request, user, question))


@pytest.fixture
def inside(client):
    client.load(
        account(),
        *(record(n, amount=n * Decimal("-1.2345"), payee=f"P{n}") for n in (1, 2, 3)),
        *(record(20 + n, payee="Gym", recordDate=f"2025-{n:02}-05") for n in range(6, 13)),
        budget(1, limitAmount=100, type="BUDGET_INTERVAL_MONTH"),
        standing_order(1, accountId=uid("Account", 1), recurrenceRule="FREQ=MONTHLY"),
    )
    return Inside(client)


ADDRESSES = (
    "records?limit=2",
    "records?fields=payee,amount&sortBy=amount",
    "records/summary?groupBy=payee&columns=net,share,count",
    "accounts/balances?interval=week",
    "accounts/forecast?include=typical",
    "standing-orders/upcoming?days=100",
    "records/recurring",
    "budgets",
)


def with_lists(value):
    """Return the value with lists for tuples."""
    if isinstance(value, dict):
        return {name: with_lists(each) for name, each in value.items()}
    return list(map(with_lists, value)) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_values_of_an_answer_are_those_of_the_json(inside, address):
    of_api = json.loads(inside.client.get(address).body, parse_float=Decimal)
    document = document_of(inside.answer(address))
    name = next(iter(of_api))
    assert of_api[name]
    assert list(document) == list(of_api)
    assert [list(row) for row in document[name]] == [list(row) for row in of_api[name]]
    assert with_lists(document) == of_api


def test_amounts_are_exact(inside):
    inside.client.load(record(9, amount=Decimal("-900719925474099.3001")))
    (row,) = document_of(inside.answer("records?amount=lt.-1000"))["records"]
    assert row["amount"] == Decimal("-900719925474099.3001")


def test_an_id_in_the_path_is_found(inside):
    path = f"budgets/{uid('Budget', 1).upper()}/periods?last=2"
    rows = inside.ask(path, as_values=True).rows
    shown = inside.client.get(path).json["periods"]
    assert [row["spent"] for row in rows] == [row["spent"] * 10_000 for row in shown]
    assert len(rows) == 2


@on_one_storage
def test_all_faults_come_back_at_once(inside):
    query = "amuont=lt.0&limit=x&offset=-1"
    with pytest.raises(ParametersRefused) as refused:
        inside.ask(f"records?{query}")
    of_api = inside.client.get(f"records?{query}").json["errors"]
    assert [name for name, _ in refused.value.faults] == ["amuont", "limit", "offset"]
    assert [list(each) for each in refused.value.faults] == [
        [each["name"], each["message"]] for each in of_api
    ]


@on_one_storage
def test_a_fault_that_only_the_answer_finds_is_a_value_too(inside):
    with pytest.raises(ParametersRefused) as refused:
        inside.ask("accounts/balances?from=2026-02-01&to=2026-01-01")
    assert [name for name, _ in refused.value.faults] == ["from"]


@on_one_storage
def test_a_page_of_another_revision_is_refused(inside):
    revision = inside.client.get("records").json["revision"]
    assert inside.ask(f"records?revision={revision}").state.revision == revision
    with pytest.raises(OtherRevision, match=f"it has revision {revision}, not 99"):
        inside.ask("records?revision=99")


@on_one_storage
@pytest.mark.parametrize(
    "path",
    [
        "/internal/v1/get-records",
        "/internal/v1/get-docs",
        "/__metrics__",
        "/__version__",
        "/v1",
        "/v1/openapi.json",
        "/v1/api/nothing",
        "/v1/api/records.csv",
        "/v1/api/records/",
        "/V1/api/records",
        "",
    ],
)
def test_only_the_public_api_can_be_asked(client, path):
    with pytest.raises(AddressRefused, match="is not one of /v1/api/"):
        find(client.service.app.registry, path)


@on_one_storage
def test_a_question_can_ask_only_what_can_be_saved(client):
    registry = client.service.app.registry
    paths = question_paths(registry)
    assert "/v1/api/records" in paths
    others = ("labels", "export/all.ndjson", "api-usage/stats", f"records/{uid('Record', 1)}")
    for path in others:
        find(registry, f"/v1/api/{path}")
        with pytest.raises(AddressRefused, match="is not one of"):
            find(registry, f"/v1/api/{path}", is_saved=True)
        assert "is not one of" in fault_of(registry, f"/v1/api/{path}")
    assert [fault_of(registry, path) for path in paths] == [None] * len(paths)


@on_one_storage
def test_an_answer_for_a_link_has_fewer_columns(inside):
    names = [
        {column.name for column in inside.ask("records", as_values=True, is_for_link=link).columns}
        for link in (False, True)
    ]
    assert {"accountId", "categoryId"} <= names[0] - names[1]


# -- the place and the time of the outer request


FORMS = [(RECORDS, each) for each in (".json", ".csv", ".xlsx", ".html", ".rss")]
FORMS += [(UPCOMING, ".ics"), (SUMMARY, ".html")]


@on_one_storage
@pytest.mark.parametrize(("address", "ending"), FORMS)
def test_every_form_of_a_link_waits_for_one_place(client, monkeypatch, address, ending):
    linked = Linked(linked_household(client), address)
    bulkhead, taken = client.service.services.data_requests, []
    call = bulkhead.call

    def noted(function, user_id, *, is_cheap):
        taken.append(user_id)
        return call(function, user_id, is_cheap=is_cheap)

    monkeypatch.setattr(bulkhead, "call", noted)
    answered = linked.read(ending)
    assert (answered.status_int, taken) == (200, [client.user.id])
    again = linked.read(ending, If_None_Match=answered.headers["ETag"])
    assert (again.status_int, len(taken)) == (304, 1)

    def full(*arguments, **options):
        raise BulkheadFull(is_own=True)

    monkeypatch.setattr(bulkhead, "call", full)
    client.load(record(8, payee="Bakery"))
    assert linked.read(ending).status_int == 503


@on_one_storage
@pytest.mark.parametrize("ending", [".json", ".csv", ".html", ".rss"])
def test_a_link_that_is_read_again_is_not_computed_again(client, monkeypatch, ending):
    linked = Linked(linked_household(client))
    first = linked.read(ending)

    def full(*arguments, **options):
        raise BulkheadFull(is_own=True)

    monkeypatch.setattr(client.service.services.data_requests, "call", full)
    assert linked.read(ending).body == first.body


@on_one_storage
def test_what_pages_and_links_ask_counts_as_no_request_to_the_api(service, user, visitor):
    client = linked_household(Client(service, user, new_token(service, user)))
    linked = Linked(client)

    def counts():
        quota = client.get("labels").headers["RateLimit"]
        service.services.usage.flush()
        total = client.get("api-usage/stats").json["total"]
        return int(re.search("r=([0-9]+)", quota)[1]), total

    before = counts()
    for path in ("/overview", "/records", f"/questions/{linked.question.id}", "/accounts"):
        visitor.get(path)
    for ending in (".json", ".csv", ".html"):
        assert linked.read(ending).status_int == 200
    left, total = counts()
    assert (before[0] - left, total - before[1]) == (1, 1)
