"""A category's kind, income or expense: its own, else the parent's, else by the group."""

import json

import pytest

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.dump import dump
from finance_api.storage.interface import reading
from support.native_rows import category, uid


def kinds(client, **query):
    response = client.get("categories", sortBy="id", **query)
    assert response.status_int == 200, response.text
    return [row["kind"] for row in response.json["categories"]]


def below(number, **values):
    return category(number + 1, parentId=uid("Category", number), **values)


def test_a_kind_is_its_own_else_the_parents_else_by_the_group(client):
    client.load(
        category(1, kind="income", group="Living"),
        below(1, group="Living"),
        category(3, group="Income"),
        category(4, group="Living"),
        below(4, group="Income"),
        category(6),
        below(6, group="EINKÜNFTE"),
        below(7, kind="expense"),
        below(8),
    )
    assert kinds(client) == [
        "income",
        "income",
        "income",
        "expense",
        "expense",
        None,
        "income",
        "expense",
        "expense",
    ]
    assert kinds(client, kind="income") == ["income"] * 4
    assert kinds(client, kind="is.null") == [None]


def test_what_is_below_follows_a_change(client):
    client.load(category(1, group="Income"), below(1), below(2, kind="expense"), below(3))
    assert kinds(client) == ["income", "income", "expense", "expense"]
    report = client.load(category(1, group="Living"))
    assert report.changed
    assert kinds(client) == ["expense"] * 4
    client.load(category(1, kind="income"), below(2))
    assert kinds(client) == ["income"] * 4
    client.load(category(1))
    assert kinds(client) == [None] * 4


def test_the_same_again_changes_nothing(client):
    rows = [category(1, group="Income"), below(1), category(9, kind="expense"), category(10)]
    assert client.load(*rows).changed
    assert not client.load(*rows).changed
    assert client.load(category(9)).changed


def test_what_was_derived_is_derived_again_after_moving_house(client, service):
    client.load(category(1, group="Income"), below(1), category(3, kind="expense"))
    with reading(service.backend) as storage:
        dumped = b"".join(dump(storage, client.user.id))
    lines = [json.loads(line) for line in dumped.splitlines()]
    other = service.client()
    other.load(*lines)
    assert kinds(other) == ["income", "income", "expense"]
    other.load(category(1, group="Living"))
    assert kinds(other) == ["expense", "expense", "expense"]
    assert not other.load(*lines[2:]).changed


@pytest.mark.parametrize("kind", ["Income", "", "both"])
def test_another_kind_is_refused(client, kind):
    if kind:
        with pytest.raises(ChangeRefused, match="kind"):
            client.load(category(1, kind=kind))
    assert client.get("categories", kind=kind).status_int == 400
