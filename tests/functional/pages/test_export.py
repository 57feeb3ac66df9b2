"""The page of accounts, and the export of all of the user's data."""

import gzip
import json
import threading
from decimal import Decimal

from webtest import TestApp

from support.browser import Visitor, assert_error_page, new_user, signed_in
from support.command import Command
from support.html import shown_text
from support.native_rows import account, household, record
from support.service import Service

DOWNLOAD = "/accounts/export"


def rows(visitor, offset=0):
    """Return the table of accounts, one text for each row."""
    page = visitor.get(f"/accounts?offset={offset}").text
    return [shown_text("<tr" + row) for row in page.split('<tr role="row"')[2:]]


# -- the page ------------------------------------------------------------------------------------


def test_without_data_the_pages_say_how_it_gets_there(user, visitor):
    assert "No accounts yet" in shown_text(visitor.get("/accounts").text)
    assert 'href="/import"' in visitor.get("/overview").text


def test_accounts_have_their_exact_balances(service, user, visitor):
    largest = Decimal("922337203685477.5807")
    service.load(
        user,
        [
            account(1, name="Big", initialBalance=largest),
            account(2, name="Cents", initialBalance=Decimal("0.1"), currencyCode="CHF"),
            account(3, name="Debt", initialBalance=Decimal("-1234567.8901")),
            account(4, name="Empty"),
            account(5, name="Old", archived=True, initialBalance=-largest),
            *(
                record(n, accountId=account(2)["id"], amount=Decimal("0.1"), currencyCode="CHF")
                for n in (1, 2)
            ),
            record(3, accountId=account(2)["id"], amount=9, recordState="void"),
        ],
    )
    found = rows(visitor)
    nothing = "0 –"
    assert found[0].startswith(f"Big {nothing} 922,337,203,685,477.5807 EUR")
    assert found[1].startswith("Cents 3 18 Mar 2026 0.30 CHF")
    assert found[2].startswith(f"Debt {nothing} \N{MINUS SIGN}1,234,567.8901 EUR")
    assert found[3].startswith(f"Empty {nothing} 0.00 EUR")
    last = f"Old Archived {nothing} \N{MINUS SIGN}922,337,203,685,477.5807 EUR"
    assert found[4].startswith(last)


def test_many_accounts_are_on_several_pages(service, user, visitor):
    service.load(user, [account(n, name=f"Account {n:03}") for n in range(1, 121)])
    found = [rows(visitor, offset) for offset in (0, 50, 100)]
    assert list(map(len, found)) == [50, 50, 20]
    assert found[-1][-1].startswith("Account 120")
    text = shown_text(visitor.get("/accounts?offset=50").text)
    assert "Previous 51–100 of 120 Next" in text


# -- the download --------------------------------------------------------------------------------


def test_the_download_is_what_the_command_dumps(new_sqlite_url, tmp_path):
    settings = {"finance_api.storage": "sql", "sqlalchemy.url": new_sqlite_url()}
    command = Command(tmp_path, settings)
    service = Service("sqlite", settings)
    user, other = new_user(service), new_user(service)
    data = household() + [
        record(1_000 + n, amount=Decimal(n) / 10_000, payee=f"Ä <{n}>") for n in range(1_500)
    ]
    service.load(user, data)
    service.load(other, [account(77, name="only-in-the-other-user")])
    response = signed_in(service, user).get(DOWNLOAD)
    assert response.body == command.done("dump", user.email)
    assert response.content_type == "application/x-ndjson"
    assert response.headers["Content-Disposition"] == (
        'attachment; filename="finance-data-2026-03-18.ndjson"'
    )
    assert len(response.body.splitlines()) == len(data)
    assert all(json.loads(line) for line in response.body.splitlines())
    assert signed_in(service, other).get(DOWNLOAD).body == command.done("dump", other.email)
    service.stop()


def test_the_download_is_compressed_for_a_browser(service, user, visitor):
    service.load(user, household())
    plain = visitor.get(DOWNLOAD).body
    stream = Stream(visitor, DOWNLOAD, {"Accept-Encoding": "gzip, br"})
    assert stream.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(b"".join(stream.chunks)) == plain
    stream.close()


def test_a_download_of_nothing_is_empty(visitor):
    assert visitor.get(DOWNLOAD).body == b""


class Stream:
    """A response as the server gets it: an iterator, which the server closes at the end."""

    def __init__(self, visitor, path, headers=None):
        request = TestApp.RequestClass.blank(path, headers=headers)
        request.host = "localhost"
        request.headers["Cookie"] = "; ".join(f"{k}={v}" for k, v in visitor.cookies.items())
        self.status, headers, self._iterable = request.call_application(visitor.service.app)
        self.headers = dict(headers)
        self.chunks = iter(self._iterable)

    def close(self):
        self._iterable.close()


def test_a_second_download_at_once_is_refused(service, user, visitor):
    service.load(user, [account(), *(record(n) for n in range(1, 1_201))])
    stream = Stream(visitor, DOWNLOAD)
    assert next(stream.chunks)
    page = visitor.get(DOWNLOAD, status=429)
    assert_error_page(page, 429)
    assert "Another download or upload of yours is running" in shown_text(page.text)
    assert page.headers["Retry-After"]
    stream.close()
    assert visitor.get(DOWNLOAD).status_int == 200


def test_pages_are_read_while_an_import_runs(service, user, visitor):
    """A page is read while an import holds its lock, which it does to the end of its file."""
    service.load(user, household())
    before = visitor.get("/accounts").text
    reading, going_on = threading.Event(), threading.Event()

    def load(storage):
        storage.data.lock(user.id)
        reading.set()
        going_on.wait(20)

    thread = threading.Thread(target=lambda: service.change(load))
    thread.start()
    try:
        assert reading.wait(10)
        other = visitor.copy()
        assert other.get("/accounts").text == before
        assert other.get(DOWNLOAD).body.count(b"\n") == len(household())
        if service.kind == "sqlite":
            # A sign-in would have to write: it soon gets a 503, and nothing changes.
            late = Visitor(service)
            assert_error_page(late.sign_in(user, status=503), 503)
            assert late.secret is None
    finally:
        going_on.set()
        thread.join(20)
    Visitor(service).sign_in(user)


def test_one_connection_is_enough_to_read_and_to_write(new_settings):
    """Requests that use all connections must not wait for one another for ever."""
    settings = {**new_settings("postgresql"), "sqlalchemy.pool_size": "1"}
    service = Service("postgresql", settings)
    visitor = signed_in(service)
    visitor.submit("/settings/jwts", status=303)
    service.stop()
