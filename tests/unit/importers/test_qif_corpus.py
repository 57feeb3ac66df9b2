"""QIF files of other projects, compared with the results of a simple second reader."""

from decimal import Decimal

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.values.number import to_units
from support.corpora import STATEMENTS
from support.qif import read_qif, simply_read

FILES = {
    path.relative_to(STATEMENTS).as_posix(): path for path in sorted(STATEMENTS.rglob("*.qif"))
}
#: file -> accounts.
IMPORTED = {
    "isaacharrisholt__quiffen/test.qif": ["TestExport"],
    "isaacharrisholt__quiffen/test_circular_reference.qif": [None],
    "isaacharrisholt__quiffen/test_split.qif": [None],
    "reubano__csv2ofx/converted/default.qif": ["Cash", "Checking"],
    "reubano__csv2ofx/converted/default_w_splits.qif": ["Cash", "Checking"],
    "reubano__csv2ofx/converted/xero.qif": ["Income", "Cash", "Checking"],
}
REFUSED = {
    "isaacharrisholt__quiffen/empty.qif": "no transactions",
    "isaacharrisholt__quiffen/test_category_inherit.qif": "categories \\(2\\), which are not",
    "isaacharrisholt__quiffen/test_option_autoswitch.qif": "no transactions",
    "isaacharrisholt__quiffen/test_unknown_account_type.qif": "transactions of investments",
}

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus is not there")


def test_every_file_of_the_corpus_has_an_expectation() -> None:
    assert sorted(FILES) == sorted([*IMPORTED, *REFUSED])


@pytest.mark.parametrize("name", IMPORTED)
def test_file_gives_the_amounts_that_a_simple_reader_finds(name: str) -> None:
    statements = read_qif(FILES[name].read_bytes(), account="A")
    assert [s.statement.account.name for s in statements] == IMPORTED[name]
    entries = [entry for whole in statements for entry in whole.entries]
    found = [a for e in entries for a in ([part[0] for part in e.parts] or [e.amount])]
    expected = [
        to_units(Decimal(amount.replace(",", "")))
        for _, amounts in simply_read(FILES[name].read_text("utf-8"))
        for amount in amounts
    ]
    assert sorted(found) == sorted(expected)
    assert expected


@pytest.mark.parametrize("name", REFUSED)
def test_file_without_transactions_is_refused_with_what_it_has(name: str) -> None:
    with pytest.raises(ImportRefused, match=REFUSED[name]):
        read_qif(FILES[name].read_bytes(), account="A")
