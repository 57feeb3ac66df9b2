"""Two users with the same file: nothing that one asks shows, counts or hints at the other's."""

import pytest

from support.native_rows import (
    account,
    budget,
    record,
    uid,
)

FOREIGN, MISSING = "abcdef00-0000-4000-8000-00000000000a", "abcdef00-0000-4000-8000-00000000000b"


def test_the_same_ids_of_two_users_are_two_rows(service):
    mine, other = service.client(), service.client()
    mine.load(account(name="Mine"), record(payee="mine", amount=-1), budget())
    other.load(account(name="Other", initialBalance=5), record(payee="other", amount=-10), budget())
    for client, name, balance, spent in ((mine, "Mine", -1, 1), (other, "Other", -5, 10)):
        assert client.names("accounts", "name") == [name]
        assert client.names("accounts", "balance") == [balance]
        assert client.names("records", "payee", id=uid("Record", 1)) == [name.lower()]
        assert client.names("records", "accountName") == [name]
        assert client.names("budgets", "spent") == [spent]
        (row,) = client.get("records/by-id", id=uid("Record", 1)).json["records"]
        assert row["payee"] == name.lower()


def test_a_reference_to_another_user_s_row_is_a_dangling_one(service):
    mine, other = service.client(), service.client()
    other.load(account(id=FOREIGN))
    messages = []
    for wanted in (FOREIGN, MISSING):
        with pytest.raises(Exception, match="accountId") as refused:
            mine.load(record(accountId=wanted))
        messages.append(str(refused.value).replace(wanted, "<id>"))
    assert messages[0] == messages[1]
    assert mine.names("records", "id") == mine.names("accounts", "id") == []
