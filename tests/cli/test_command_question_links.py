"""finance-api question link"""

import json
import re
from datetime import datetime
from urllib.parse import urlsplit

import pytest

ADDRESS = "/v1/api/records?limit=5"


@pytest.fixture
def asked(command, anna):
    command.done("question", "add", anna, "Newest", ADDRESS)
    return anna


def links(command, email):
    return json.loads(command.done("question", "link", "list", email, "--json"))


#: What is said beside addresses that begin with the server of the ini file.
FROM_INI = "The host and port are those of the ini file; finance_api.public_address sets others.\n"


def added(command, *arguments, remark=FROM_INI):
    """Add a link, and return the output."""
    outcome = command.run("question", "link", "add", *arguments)
    assert (outcome.code, outcome.err) == (0, remark)
    return outcome.raw_out


def test_a_link_is_added_listed_and_revoked(command, asked):
    lines = added(command, asked, "Newest", "--name", "sheet").decode().splitlines()
    assert [line.rpartition(".")[2] for line in lines] == ["csv", "xlsx", "json", "html", "rss"]
    address = r"http://127\.0\.0\.1:6543/q/(finq_\w{32})\.\w+"
    (secret,) = {re.fullmatch(address, line)[1] for line in lines}
    (link,) = links(command, asked)
    assert (link["name"], link["question"], link["revokedAt"]) == ("sheet", "Newest", None)
    assert secret not in json.dumps(link)
    assert "sheet" in command.done("question", "link", "list", asked).decode()
    revoked = command.done("question", "link", "revoke", asked, "sheet").decode()
    assert revoked == f"revoked {link['id']} (sheet)\n"
    (link,) = links(command, asked)
    assert link["revokedAt"] is not None
    assert "no active link" in command.refused("question", "link", "revoke", asked, "sheet")


@pytest.mark.parametrize(
    ("given", "days"), [([], 365), (["--expires-in-days", "2"], 2), (["--never-expires"], None)]
)
def test_a_link_expires_after_a_year_unless_one_says_otherwise(command, asked, given, days):
    added(command, asked, "Newest", *given)
    (link,) = links(command, asked)
    begin, end = link["createdAt"], link["expiresAt"]
    found = end and (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).days
    assert found == days


@pytest.mark.parametrize(
    ("settings", "server", "address"),
    [
        (
            {"finance_api.public_address": "https://finance.example.org/"},
            "",
            "https://finance.example.org",
        ),
        ({}, "host = 0.0.0.0\nport = 7000\n", "http://127.0.0.1:7000"),
        ({}, "host = ::1\nport = 7000\n", "http://[::1]:7000"),
    ],
)
def test_a_link_begins_with_the_address_of_the_service(command, asked, settings, server, address):
    command.write({**command.settings, **settings})
    with command.ini.open("a") as stream:
        stream.write(f"[server:main]\nuse = egg:waitress#main\n{server}")
    remark = "" if settings else FROM_INI
    for line in added(command, asked, "Newest", remark=remark).decode().splitlines():
        assert line.startswith(f"{address}/q/finq_")


@pytest.mark.parametrize(
    "wrong", ["finance.example.org", "https://a.example/api", "https://a https://b", "*"]
)
def test_a_wrong_address_of_the_service_is_refused_by_name(command, asked, wrong):
    command.write({**command.settings, "finance_api.public_address": wrong})
    said = command.refused("question", "link", "add", asked, "Newest")
    assert "finance_api.public_address" in said
    assert "https://" in said


def test_links_are_revoked_by_question_by_id_and_all_at_once(command, asked):
    command.done("question", "add", asked, "Other", ADDRESS)
    for name in ("Newest", "Newest", "Other", "Other"):
        added(command, asked, name, "--name", "x")
    revoke = ("question", "link", "revoke", asked)
    assert "4 links are called x" in command.refused(*revoke, "x", code=2)
    for given in ((), ("Newest", "--all")):
        assert "name a link or a saved question" in command.refused(*revoke, *given, code=2)

    def left():
        return [link["question"] for link in links(command, asked) if link["revokedAt"] is None]

    command.done("question", "link", "revoke", asked, "Newest")
    assert left() == ["Other", "Other"]
    one = next(link["id"] for link in links(command, asked) if link["revokedAt"] is None)
    command.done("question", "link", "revoke", asked, one)
    assert left() == ["Other"]
    command.done("question", "link", "revoke", asked, "--all")
    assert left() == []


@pytest.mark.parametrize("written", ["{}", "https://host.example{}", "see {}, it leaked"])
def test_a_leaked_link_is_revoked_by_its_address_alone(command, asked, written):
    first = urlsplit(added(command, asked, "Newest").decode().splitlines()[0]).path
    added(command, asked, "Newest", "--name", "other")
    text = written.format(first)
    revoke = ("question", "link", "revoke", "--value", "-")
    assert b"revoked" in command.done(*revoke, stdin=text.encode())
    left = [link["name"] for link in links(command, asked) if link["revokedAt"] is None]
    assert left == ["other"]
    assert "not a link" in command.refused(*revoke, stdin=text[:-20].encode())
    unknown = text.replace(first[10:20], "x" * 10)
    assert "there is no" in command.refused(*revoke, stdin=unknown.encode())


def test_a_link_is_named_in_one_way(command, asked):
    revoke = ("question", "link", "revoke")
    for given in ((), (asked, "--value", "x"), (asked, "Newest", "--value", "x")):
        assert "give" in command.refused(*revoke, *given, code=2)


def test_removing_a_question_revokes_its_links(command, asked):
    added(command, asked, "Newest", "--expires-in-days", "30")
    command.done("question", "remove", asked, "Newest")
    (link,) = links(command, asked)
    assert (link["name"], link["question"]) == ("Newest", None)
    assert link["expiresAt"] is not None and link["revokedAt"] is not None


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("add", "Nothing"), 'there is no question named "Nothing"'),
        (("add", "Newest", "--name", " "), "a link needs a name"),
        (("revoke", "Nothing"), "no active link"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_sentence(command, asked, given, sentence):
    verb, *rest = given
    assert sentence in command.refused("question", "link", verb, asked, *rest)
