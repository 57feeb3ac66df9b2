"""Two users import the same file: no request of one shows, counts or reveals the other's."""

import pytest

from support.native_rows import account, record

FOREIGN, MISSING = "abcdef00-0000-4000-8000-00000000000a", "abcdef00-0000-4000-8000-00000000000b"


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
