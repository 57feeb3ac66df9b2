"""Histories of files of kinds that were once misread are read right, asked about or refused."""

import io
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from random import Random

import pytest

from finance_api.cli.import_texts import text
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import make_order
from finance_api.resources import ACCOUNTS, RECORDS
from finance_api.storage.memory import MemoryBackend
from support.any_file import options_of
from support.ledger import IMPORT_SETTINGS, Person
from support.nightly import count
from support.statement_kinds import FIRST, KINDS, History, ofx, ofx_row, one

#: Files of each kind: 13,000 altogether at night.
FILES = count(12, 1_667)
DEEPEST = 4
Step = tuple[str, dict]


def take(person: Person, data: str, options: dict) -> list[str]:
    order = make_order(
        io.BytesIO(data.encode()),
        options,
        IMPORT_SETTINGS,
        email=person.user.email,
        now=person.clock.now(),
    )
    return [text(remark) for remark in import_file(person.backend, order).remarks]


def is_true(person: Person, history: History) -> bool:
    found = []
    records = person.rows(RECORDS)
    for account in person.rows(ACCOUNTS):
        own = [Decimal(r["amount"]).scaleb(-4) for r in records if r["accountId"] == account["id"]]
        found.append((sorted(own), Decimal(account["balance"]).scaleb(-4)))
    for amounts, balance in history.accounts:
        fitting = [f for f in found if f[0] == amounts and balance in (None, f[1])]
        if not fitting:
            return False
        found.remove(fitting[0])
    return not found


def outcomes(history: History, answers: dict[int, tuple] | None = None, depth: int = 0):
    """Yield how each path of answers ends: "right", "wrong" or "refused", and whether it asked.

    answers: the answers so far, by the number of the file.
    """
    answers = answers or {}
    person = Person(MemoryBackend())
    remarks: list[str] = []
    for number, (data, given) in enumerate(history.files):
        options = dict(given)
        for choices in answers.get(number, ()):
            options = options_of(choices, options)
        before = person.snapshot()
        try:
            remarks += take(person, data, options)
        except ImportRefused as refused:
            assert person.snapshot() == before
            offered = refused.answers if depth < DEEPEST else []
            if not offered:
                is_said = all(word in str(refused) for word in history.says)
                yield ("refused" if is_said else "wrong"), depth > 0
                return
            for answer in offered:
                further = {**answers, number: (*answers.get(number, ()), answer)}
                yield from outcomes(history, further, depth + 1)
            return
    is_said = any(all(word in text for word in history.says) for text in ("", *remarks))
    yield ("right" if is_true(person, history) and is_said else "wrong"), depth > 0


def test_ids_that_begin_again_from_1_are_not_asked_about_after_they_came_again():
    rows = [("05", "-17.53"), ("06", "-71.44"), ("08", "39.62"), ("17", "-16.54"), ("22", "-6.85")]
    first, second, third = (
        ofx(
            [
                ofx_row(FIRST.replace(day=int(day)), amount, str(number), "Bus")
                for number, (day, amount) in enumerate(part, 1)
            ],
            span=(FIRST.replace(day=int(part[0][0])), FIRST.replace(day=28)),
        )
        for part in (rows[:3], rows[:4], rows[3:])
    )
    history = History(
        [(text, {}) for text in (first, second, third)], one([*map(Decimal, (r[1] for r in rows))])
    )
    assert list(outcomes(history)) == [("right", False)]


def test_nobody_knows_if_the_only_row_of_a_file_is_corrected_or_another_with_its_number():
    rows = [("06", "-345.86"), ("13", "-739.90")]
    files = []
    for day, amount in rows:
        begin = FIRST.replace(day=int(day))
        row = ofx_row(begin, amount, "1", "Grocer")
        files.append((ofx([row], span=(begin, begin + timedelta(6))), {}))
    for amounts in (["-345.86", "-739.90"], ["-739.90"]):
        found = sorted(outcomes(History(files, one([*map(Decimal, amounts)]))))
        assert found == [("right", True), ("wrong", True)]


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_histories_of_a_kind_are_true_or_asked_about(kind, figures):
    ends: Counter[str] = Counter()
    files = seed = 0
    while files < FILES:
        history = kind(Random(f"{kind.__name__} {seed}"))
        found = list(outcomes(history))
        ways = {end for end, _ in found}
        asked = any(is_asked for _, is_asked in found)
        if history.is_wrong:
            # One file cannot be right, whatever the answers.
            assert ways == {"refused"}, (seed, found)
        else:
            assert "right" in ways, (seed, found)
            assert asked or "wrong" not in ways, (seed, found)
        ends["asked" if asked else found[0][0]] += len(history.files)
        files += len(history.files)
        seed += 1
    figures(f"{kind.__name__}: {dict(ends)} of {files} files")
