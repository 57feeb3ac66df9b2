"""Commands that change a user's data compute before they lock it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from finance_api.cli.context import CliContext
from finance_api.cli.main import command
from finance_api.ledger.session import DataMoved, LedgerSession
from finance_api.resources import RECORDS
from finance_api.resources.records import VOID
from finance_api.settings import read_settings
from finance_api.storage.interface import reading
from support.browser import new_user
from support.ledger import account, an_id, document, record
from support.locked_calls import FEW_CALLS, calls_under_lock
from support.service import Service, native_line

NUMBER = 300
IDS = [an_id(n) for n in range(1, NUMBER + 1)]
#: Command -> the arguments after the e-mail address, and what standard input has.
CHANGES = {
    ("imports", "undo"): (("1",), ""),
    ("records", "edit"): (("-",), "\n".join(["id,note", *(f"{each},new" for each in IDS)])),
    ("records", "remove"): (("-",), "\n".join(IDS)),
    ("duplicates", "find"): (("--void", "-"), "\n".join(IDS)),
    ("rules", "apply"): ((), ""),
    ("import",): (("-",), "".join(native_line(record(n, amount=-7)) for n in range(1, NUMBER))),
}
#: Commands after which there are no records.
REMOVING = (("imports", "undo"), ("records", "remove"))


@pytest.fixture(scope="module")
def service(new_settings: Callable[[str], dict[str, str]]) -> Iterator[Service]:
    found = Service("sqlite", new_settings("sqlite"))
    yield found
    found.stop()


def rows() -> list[dict[str, Any]]:
    rule = document("RecordRule", 1, keywords=["shop"], categoryId=an_id(11))
    records = [record(n, payee="Corner shop", amount=-5) for n in range(1, NUMBER + 1)]
    return [account(), document("Category", 11, name="Food"), *records, rule]


@pytest.fixture(params=CHANGES, ids=" ".join)
def run(request: pytest.FixtureRequest, service: Service) -> Callable[[], tuple[str, Any]]:
    """A function that runs a command for a new user, and returns its output and the user's data."""
    words = request.param
    user = new_user(service)
    service.load(user, rows())
    cli = CliContext()
    cli.clock = service.clock
    vars(cli).update(backend=service.backend, settings=read_settings(service.settings, {}))
    arguments, text = CHANGES[words]

    def run() -> tuple[str, Any]:
        given = [*words, user.email, *arguments]
        result = CliRunner().invoke(command, given, input=text, obj=cli, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        with reading(service.backend) as storage:
            return result.output, storage.data.scan_rows(user.id, RECORDS)

    return run


def test_a_command_computes_before_it_locks_the_data(run: Callable[[], Any]) -> None:
    with calls_under_lock() as calls:
        run()
    assert sum(calls.values()) <= FEW_CALLS, calls.most_common(5)


def test_a_command_whose_data_changes_meanwhile_reads_its_input_again(
    run: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The last try computes while others wait, so it cannot fail for the same reason."""
    begin = LedgerSession.begin_storing
    tries = []

    def moved(session: LedgerSession) -> None:
        tries.append(session)
        if len(tries) == 1:
            raise DataMoved
        begin(session)

    monkeypatch.setattr(LedgerSession, "begin_storing", moved)
    output, records = run()
    assert tries
    changed = [
        row
        for row in records
        if row["note"] == "new"
        or row["recordState"] == VOID
        or row["categoryByRule"]
        or row["amount"] == -70_000
    ]
    if request.node.callspec.params["run"] in REMOVING:
        assert records == [], output
    else:
        assert len(changed) >= NUMBER - 1, output
