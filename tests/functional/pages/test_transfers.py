"""Transfers on pages: proposed, confirmed, dismissed."""

import pytest

from finance_api.ledger.changing import changing
from finance_api.ledger.edits.records import remove_records
from support.browser import few_users as services  # noqa: F401
from support.html import shown_text
from support.listed_records import load_records
from support.native_rows import record, uid

PAIR = f"{uid('Record', 5)} {uid('Record', 6)}"


@pytest.fixture
def client(service, user):
    return load_records(service, user)


def waiting(visitor):
    return PAIR in visitor.get("/transfers").text


def test_a_transfer_is_found_when_data_comes_in_and_confirmed(service, client, visitor):
    assert "1 transfer to confirm" in shown_text(visitor.get("/overview").text)
    csrf = visitor.csrf()
    sent = {"csrf_token": csrf, "pair": PAIR, "do": "confirm"}
    visitor.post("/transfers", sent, status=303)
    rows = [client.get(f"records/{uid('Record', n)}").json for n in (5, 6)]
    assert rows[0]["transferId"] == rows[1]["transferId"] is not None
    assert not waiting(visitor)
    page = visitor.post("/transfers", sent, status=400)
    assert "is no longer waiting for your decision" in shown_text(page.text)
    visitor.post(f"/records/{uid('Record', 5)}/unlink", {"csrf_token": csrf}, status=303)
    assert client.get(f"records/{uid('Record', 6)}").json["transferId"] is None
    visitor.post("/transfers", {"csrf_token": csrf, "do": "find"}, status=303)
    assert not waiting(visitor)


def test_what_is_no_transfer_is_not_proposed_again(service, user, client, visitor):
    assert waiting(visitor)
    sent = {"csrf_token": visitor.csrf(), "pair": PAIR, "do": "dismiss"}
    visitor.post("/transfers", sent, status=303)
    assert not waiting(visitor)
    service.load(user, [record(8, amount=-1, recordDate="2026-02-01")])
    assert not waiting(visitor)


def test_a_pair_goes_with_its_record_and_comes_back_with_it(service, user, client, visitor):
    with changing(service.backend, user.email, service.clock.now(), action="x") as session:
        remove_records(session, [uid("Record", 6)])
    assert not waiting(visitor)
    into = {"amount": 500, "accountId": uid("Account", 2)}
    service.load(user, [record(6, recordDate="2026-02-02", **into)])
    assert waiting(visitor)
    # Another record fits as well, so the pair is no longer certain.
    service.load(user, [record(7, recordDate="2026-02-03", **into)])
    assert not waiting(visitor)
