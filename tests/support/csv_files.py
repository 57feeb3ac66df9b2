"""Reads whole CSV files for tests."""

import json

import pytest

from finance_api.cli.importing import choice_words, import_command
from finance_api.importers.csv import CsvImporter, Mapping
from finance_api.importers.interface import ImportRefused, Remembered, nothing_remembered
from finance_api.importers.options import flags
from finance_api.values.number import decimal_text
from finance_api.values.time import date_text
from support.losses import documented, lost_columns
from support.whole import read_whole


def read(data, saved=nothing_remembered.options, profiles=None, **options):
    """Return the statements of a file in the order of their first rows. data: text or bytes.

    saved: as `Remembered.options`.
    """
    remembered = Remembered(saved, last_year=2027)
    return read_whole(CsvImporter(Mapping(**options), profiles), data, remembered)


def options_in(words):
    """Parse an import's command line. Return it, and its options as `Mapping` has them."""
    context = import_command.make_context("import", list(words))
    given = {name: value for name, value in context.params.items() if value not in (None, (), {})}
    options = {name: value for name, value in given.items() if name in Mapping.__dataclass_fields__}
    return context, options | ({"header": False} if given.get("no_header") else {})


class Always(dict):
    """The same saved options for every file."""

    def get(self, heading_and_account):
        return self


class Memory:
    """Remembers the options of earlier files, as the ledger does."""

    def __init__(self):
        self.kept = {}
        self.asked = set()

    def get(self, heading_and_account):
        self.asked.add(heading_and_account)
        return self.kept.get(heading_and_account)

    def read(self, text, profiles=None, account="Main", **options):
        (found,) = read(text, self, profiles, account=account, **options)
        kept = found.statement.options
        json.dumps(kept)
        self.kept[kept["heading"], account] = kept
        return found


def records(data, profile, /, **options):
    """Read a file with this profile. Return its accounts, each with a line for each record.

    Checks that the import drops only the columns named in tests/samples/csv/layouts.md.
    """
    statements = read(data, **options)
    assert lost_columns(data, profile, statements) <= documented()[profile]
    said = " ".join(remark for found in statements for remark in found.statement.remarks)
    assert f"read with the profile '{profile}' (version 1)" in said, said
    return {found.account.name: [shown(entry) for entry in found.entries] for found in statements}


def shown(entry):
    """Return ``day amount | payee | note | category`` and the other values of the entry."""
    texts = (entry.payee, entry.note, entry.category)
    line = " | ".join(
        [f"{date_text(entry.date)} {decimal_text(entry.amount)}", *(t or "-" for t in texts)]
    )
    others = {
        "labels": ",".join(entry.labels),
        "id": entry.bank_id,
        "value": entry.value_date is not None and date_text(entry.value_date),
        "other": entry.counterparty_account,
        "reference": entry.reference,
        "original": entry.original_amount is not None
        and f"{decimal_text(entry.original_amount)} {entry.original_currency}",
        "type": entry.payment_type,
    }
    return line + "".join(f" {name}={value}" for name, value in others.items() if value)


def refusal(data, **options):
    with pytest.raises(ImportRefused) as refused:
        read(data, **({"account": "X"} | options))
    return refused.value


def answers(refused):
    """Return what each answer to a refusal adds to the command line, and drops (with a "-")."""
    return [" ".join(changed_words(choices)) for choices in refused.answers]


def changed_words(choices):
    added = [word for choice in choices for word in choice_words(choice)]
    return added + [f"-{flag}" for choice in choices for flag in flags(dropped(choice.changes))]


def dropped(changes):
    """Return the parts of a choice's changes that only drop something."""
    fields = {f: None for f, each in (changes.get("columns") or {}).items() if each is None}
    options = {name: None for name, value in changes.items() if value is None}
    return options | ({"columns": fields} if fields else {})
