"""Files that were reported as misread: each is read right, or asks and one answer reads it right.

What a question offers never misleads: no sequence of offered commands fails or goes round.
"""

import json
import shlex
import shutil
from decimal import Decimal

import pytest

from support.command import Command
from support.installation import ANNA
from support.reported import cases

#: At most this many commands are followed in a row.
DEEPEST = 5
#: What only the person knows, where a command has a blank for it -> what is written there.
SAID = {"NAME": "A", "CODE": "EUR"}

#: The cases that cannot be imported right yet -> why. A mended case must leave the list.
OPEN: dict[str, str] = {}

CASES = cases()
if not CASES:
    pytest.skip("there are no reported files beside the project", allow_module_level=True)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """The folder of an installation with one user."""
    directory = tmp_path_factory.mktemp("prepared")
    url = f"sqlite:///{directory / 'finance.sqlite'}"
    command = Command(directory, {"sqlalchemy.url": url})
    command.done("db", "upgrade")
    command.done("user", "add", ANNA, "--premium")
    return directory


class Books:
    """Copies of an installation, one for each sequence of commands."""

    def __init__(self, prepared, directory):
        self._directory = directory
        self._prepared = prepared
        self._made = 0

    def copy(self, source=None):
        self._made += 1
        directory = self._directory / str(self._made)
        shutil.copytree(source or self._prepared, directory)
        url = f"sqlite:///{directory / 'finance.sqlite'}"
        return Command(directory, {"sqlalchemy.url": url})


@pytest.fixture
def books(prepared, tmp_path):
    return Books(prepared, tmp_path)


def ends(books, command, files, passed=()):
    """Yield the installations to which the files lead, each with the commands followed.

    Raises AssertionError if an offered command is refused without another offer.
    """
    if not files:
        yield command, passed
        return
    (path, options), *later = files
    before = books.copy(command.directory)
    outcome = command.run("import", ANNA, str(path), *options, "--json")
    answer = json.loads(outcome.out)
    if outcome.code == 0:
        yield from ends(books, command, later, passed)
        return
    offered = answer["error"].get("commands", [])
    assert len(passed) < DEEPEST, (answer, passed)
    assert offered or not passed, ("a dead end", answer, passed)
    for line in (each["line"] for each in offered):
        words = [SAID.get(word, word) for word in shlex.split(line)[2:]]
        following = tuple(w for w in words if w not in (ANNA, str(path), "--json"))
        assert following != options, answer
        again = books.copy(before.directory)
        yield from ends(books, again, [(path, following), *later], (*passed, line))


def accounts(command):
    """Return the accounts as the truth has them: currency, balance, rows of day, amount, text."""
    rows = [json.loads(line) for line in command.done("dump", ANNA).splitlines()]
    found = {}
    for row in rows:
        if row["reserved_model_type"] == "Account":
            found[row["id"]] = (row["currencyCode"], Decimal(str(row["initialBalance"] or 0)), [])
    for row in rows:
        if row["reserved_model_type"] == "Record" and row.get("recordState") != "void":
            texts = f"{row.get('payee') or ''} {row.get('note') or ''}".casefold()
            entry = (row["recordDate"][:10], Decimal(str(row["amount"])), texts)
            found[row["accountId"]][2].append(entry)
    return list(found.values())


def fits(actual, reading, *, compares_text):
    """Return whether the accounts are these, in any order."""
    left = [each for each in actual if each[2] or len(actual) == len(reading)]
    for account in reading:
        match = next((each for each in left if _is(each, account, compares_text)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def _is(actual, account, compares_text):
    currency, initial, entries = actual
    if account["currency"] not in (None, currency):
        return False
    balance = initial + sum(amount for _, amount, _ in entries)
    if account["balance"] is not None and balance != Decimal(account["balance"]):
        return False
    left = list(entries)
    for wanted in account["records"]:
        for entry in left:
            is_text = not compares_text or wanted.get("text", "").casefold() in entry[2]
            if (entry[0], entry[1]) == (wanted["day"], Decimal(wanted["amount"])) and is_text:
                left.remove(entry)
                break
        else:
            return False
    return not left


def parameter(case):
    reason = OPEN.get(case.name)
    marks = [] if reason is None else [pytest.mark.xfail(strict=True, reason=reason)]
    return pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", [parameter(case) for case in CASES])
def test_reported_file_is_read_right_or_asks_for_what_is_right(books, case):
    found = list(ends(books, books.copy(), list(case.files)))
    assert found, "refused, and nothing is offered"
    right = [
        any(
            fits(accounts(command), reading, compares_text=case.compares_text)
            for reading in case.readings
        )
        for command, _ in found
    ]
    assert any(right), [(accounts(command), passed) for command, passed in found]
    assert right[0] or found[0][1], "read at once, and wrong"
