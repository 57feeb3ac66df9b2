"""finance-api user"""

import json

import pytest

from finance_api.auth.sessions import start_session
from finance_api.storage.interface import Session, unit_of_work
from finance_api.storage.sql.backend import SqlBackend
from support.installation import ANNA, BERT
from support.ledger import account, record
from support.service import native_line


def users(command):
    return command.done("user", "list").decode()


def line_of(command, email):
    (line,) = [x for x in users(command).splitlines() if x.startswith(email)]
    return line


def test_user_is_added_and_listed(command):
    command.done("user", "add", "free@example.org")
    command.done("user", "add", "paying@example.org", "--premium")
    assert "premium" not in line_of(command, "free@example.org")
    assert "premium" in line_of(command, "paying@example.org")


def test_email_is_the_same_in_any_case(command):
    command.done("user", "add", "Anna@Example.ORG")
    assert "anna@example.org" in users(command)
    assert "anna@example.org" in command.refused("user", "add", "ANNA@example.org")
    command.done("user", "set", "ANNA@EXAMPLE.ORG", "--premium")
    for wrong in ("", "a b@c", "x" * 300 + "@y", b"\xff@y"):
        command.refused("user", "add", wrong)
    assert users(command).count("\n") == 2


def test_password_comes_from_standard_input_and_is_kept_as_a_hash(command):
    command.done("user", "add", "a@b.org", "--password-stdin", stdin=b"correct horse\n")
    url = command.ini.read_text().split("sqlite:///")[1].split()[0]
    with open(url, "rb") as database:
        data = database.read()
    assert b"correct horse" not in data
    for bad in (
        b"",
        b"\n",
        b"short\n",
        b"x" * 5_000 + b"\n",
        b"\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\n",
    ):
        command.refused("user", "add", "c@d.org", "--password-stdin", stdin=bad)
    assert "c@d.org" not in users(command)


@pytest.mark.parametrize("password", ["password", "Finance_API", "me@example.org", "me-12345678"])
def test_a_password_that_is_tried_first_is_refused(command, password):
    arguments = ("user", "add", "me@example.org", "--password-stdin")
    said = command.refused(*arguments, stdin=f"{password}\n".encode())
    assert "choose another" in said
    assert "me@" not in users(command)


def test_plan_and_state_change(command, anna):
    assert "premium" in line_of(command, anna)
    command.done("user", "set", anna, "--no-premium", "--disable")
    assert "premium" not in line_of(command, anna)
    assert "disabled" in line_of(command, anna)
    command.done("user", "set", anna, "--enable")
    assert "disabled" not in line_of(command, anna)
    assert "premium" not in line_of(command, anna)


@pytest.mark.parametrize(
    "arguments",
    [
        ["user", "set", "no@body.org", "--premium"],
        ["user", "delete", "no@body.org", "--yes"],
        ["user", "set-password", "no@body.org", "--password-stdin"],
        ["token", "create", "no@body.org", "--name", "x"],
        ["token", "list", "no@body.org"],
        ["dump", "no@body.org"],
        ["import", "no@body.org", __file__, "--format", "csv"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_unknown_user_is_named(command, arguments):
    assert "no@body.org" in command.refused(*arguments)


def test_delete_asks_and_takes_no_for_an_answer(command, anna):
    for answer in (b"n\n", b"\n", b""):
        outcome = command.run("user", "delete", anna, stdin=answer)
        assert outcome.code == 1
        assert anna in outcome.err
        assert outcome.err.endswith("finance-api: cancelled; nothing was changed\n")
        assert anna in users(command)
    outcome = command.run("user", "delete", anna, stdin=b"y\n")
    assert outcome.code == 0
    assert anna not in users(command)


def test_delete_takes_all_data_and_tokens_of_that_user_only(command, anna):
    command.done("user", "add", "bert@example.org", "--premium")
    data = command.file("data.ndjson", native_line(account()) + native_line(record(9)))
    for email in (anna, "bert@example.org"):
        command.done("import", email, data)
        command.done("token", "create", email, "--name", "x")
    berts = command.done("dump", "bert@example.org")
    command.done("user", "delete", anna, "--yes")
    command.refused("dump", anna)
    assert command.done("dump", "bert@example.org") == berts
    assert command.done("token", "list", "bert@example.org").count(b"\n") == 2
    command.done("user", "add", anna, "--premium")
    assert command.done("dump", anna) == b""
    assert command.done("token", "list", anna).count(b"\n") == 1


@pytest.mark.parametrize(
    ("option", "member", "first", "given", "stored", "wrong", "advice"),
    [
        (
            *("--region", "region", None, "de_at", "de-AT"),
            ["Austria", "xx-AT", "../../etc/passwd"],
            "is not a region such as de-AT, en-GB or en-US",
        ),
        (
            *("--time-zone", "timeZone", "UTC", "europe/berlin", "Europe/Berlin"),
            ["Berlin", "", "../../etc/passwd", "Europe", "UTC+1", "posix/UTC"],
            "is not a time zone of the IANA database such as Europe/Berlin",
        ),
        (
            *("--base-currency", "baseCurrency", None, "eur", "EUR"),
            ["Euro", "EURO", "XXXX", "€"],
            "is not an ISO 4217 code such as EUR",
        ),
    ],
    ids=["region of the CLDR", "time zone of the IANA database", "currency of ISO 4217"],
)
def test_what_a_profile_has_is_known(
    command, anna, option, member, first, given, stored, wrong, advice
):
    def shown():
        (user,) = json.loads(command.done("user", "list", "--json"))
        return user[member]

    assert shown() == first
    command.done("user", "set", anna, option, given)
    for text in wrong:
        assert advice in command.refused("user", "set", anna, option, text, code=2)
    assert shown() == stored
    command.done("user", "set", anna, option, first or "")
    assert shown() == first
    assert advice in command.refused("user", "add", BERT, option, wrong[0], code=2)
    command.done("user", "add", BERT, option, given)
    users_by_email = {u["email"]: u for u in json.loads(command.done("user", "list", "--json"))}
    assert users_by_email[BERT][member] == stored


def test_signing_out_a_user_ends_sessions_and_nothing_else(house):
    for email in (ANNA, BERT):
        house.done("token", "create", email, "--name", "x")

    def session_counts():
        def work(storage):
            return [len(storage.users.list_owned(Session, u.id)) for u in storage.users.list_all()]

        return house.read(work)

    def start():
        backend = SqlBackend(house.url)
        with unit_of_work(backend) as storage:
            for user in storage.users.list_all():
                start_session(storage, user, now=1_000, user_agent="x")
        backend.close()

    start()
    assert house.done("user", "sign-out", ANNA).decode() == f"signed out {ANNA}\n"
    assert session_counts() == [0, 1]
    start()
    house.done("user", "sign-out", "--all")
    assert session_counts() == [0, 0]
    assert house.revoked_tokens() == set()
    for given in ((), (ANNA, "--all")):
        assert "give the user's e-mail" in house.refused("user", "sign-out", *given, code=2)
