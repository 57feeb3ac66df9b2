"""Files of any format, with the options that the command would take."""

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from finance_api.importers.formats import AccountKey, detect_format
from finance_api.importers.interface import Choice, StatementImporter
from finance_api.importers.options import changed
from finance_api.ledger.orders import ImportReport
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.values.time import DAY_SECONDS
from support.ledger import Person


def any_importer(data: bytes, **options: Any) -> tuple[StatementImporter | None, dict[str, Any]]:
    """Return the importer of the file, and the options for the ledger. Raises ImportRefused."""
    stream = io.BytesIO(data)
    found = detect_format(stream)
    importer = found.new_importer(stream, options)
    if importer is None:
        return None, {}
    account = None if found.account_key is AccountKey.USER else options.get("account")
    return importer, {"account_name": account, "currency": options.get("currency")}


def import_any(
    person: Person, data: bytes, options: Mapping[str, Any], *, dry_run: bool = False
) -> ImportReport:
    importer, further = any_importer(data, **options)
    return person.file(data, importer, dry_run=dry_run, **further)


def imported_once(person: Person, data: bytes, options: Mapping[str, Any]) -> ImportReport:
    """Import a file. Check it against its dry run, a second import, and an import of its dump.

    Also checks that each account's newest bank balance agrees with the records up to that day.
    """
    rehearsed = import_any(person, data, options, dry_run=True)
    assert person.snapshot() == (0, b"")
    report = import_any(person, data, options)
    assert report.as_json() == rehearsed.as_json()
    person.audit()
    records = person.rows(RECORDS)
    assert report.created == len(records)
    for account in person.rows(ACCOUNTS):
        if account["bankBalance"] is not None:
            until = account["bankBalanceDate"] + DAY_SECONDS
            own = (r for r in records if r["accountId"] == account["id"])
            amounts = [record["amount"] for record in own if record["recordDate"] < until]
            assert account["initialBalance"] + sum(amounts) == account["bankBalance"]
    before = person.snapshot()
    person.clock.set("2027-01-01T00:00:00Z")
    # A split entry counts once, whatever the number of its parts.
    splits = Counter(record["splitId"] for record in records if record["splitId"])
    unchanged = import_any(person, data, options).unchanged
    assert unchanged == report.created - splits.total() + len(splits)
    assert person.snapshot() == before
    other = Person(person.backend)
    other.file(person.dump())
    assert other.dump() == person.dump()
    return report


#: Values that only the user knows.
SAID = {"account": "Giro", "currency": "EUR"}


def options_of(choices: Sequence[Choice], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the retry after an answer to a refusal."""
    options = dict(before)
    for choice in choices:
        needs = {name: SAID[name] for name in choice.needs}
        options = changed(options, {**choice.changes, **needs})
    return options
