"""Files are parts of a true history: imported in any order, they give that history.

An ambiguous file may be refused, but is never stored wrongly.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import Entry, ImportRefused
from finance_api.resources import RECORDS
from support.nightly import count
from support.statements import Bank, day

NAME = "Checking 100"
DAYS = 20
EXAMPLES = count(2, 2_000)
_FIRST = day("1")


@dataclass(frozen=True)
class Movement:
    """A transaction as the bank books it. corrected: a version, and its amount from then on."""

    day: int
    amount: int
    payee: str
    number: int = 0
    corrected: int | None = None
    corrected_at: int = 0

    def amount_at(self, version: int) -> int:
        late = self.corrected is not None and version >= self.corrected_at
        return self.corrected if late else self.amount


@dataclass(frozen=True)
class Download:
    """A file: the movements between two places of the history, as of a version."""

    first: int
    end: int
    version: int
    source: str = "ofx"


movements = st.builds(
    Movement,
    day=st.integers(1, DAYS),
    amount=st.sampled_from([-300, -300, -450, -1999, 250000]),
    payee=st.sampled_from(["Café", "CAFÉ", "Rent", "Shop"]),
)


@st.composite
def histories(draw, *, corrections=False, distinct=False):
    """Draw movements in the order in which they happen."""
    found = sorted(draw(st.lists(movements, min_size=1, max_size=14)), key=lambda m: m.day)
    found = [replace(m, number=n) for n, m in enumerate(found)]
    if distinct:
        found = [replace(m, amount=m.amount - 10 * m.number) for m in found]
    if corrections:
        found = [
            replace(m, corrected=m.amount + 7, corrected_at=draw(st.integers(1, 4)))
            if draw(st.booleans())
            else m
            for m in found
        ]
    return found


def same_day(history, place):
    return history[place - 1].day == history[place].day


def parts_equal(history, place):
    """Whether a file would cut a day between equal rows: then nobody knows which row is which."""
    today = history[place].day
    before, after = (
        {(m.amount, m.payee.casefold()) for m in part if m.day == today}
        for part in (history[:place], history[place:])
    )
    return bool(before & after)


@st.composite
def downloads(draw, history, *, whole_days=True, sources=("ofx",)):
    """Draw parts of the history, in the order in which they are downloaded."""
    found = []
    for version in range(draw(st.integers(1, 5))):
        first = draw(st.integers(0, len(history) - 1))
        end = draw(st.integers(first + 1, len(history)))
        while first and (whole_days or parts_equal(history, first)) and same_day(history, first):
            first -= 1
        while (
            end < len(history)
            and (whole_days or parts_equal(history, end))
            and same_day(history, end)
        ):
            end += 1
        found.append(Download(first, end, version, draw(st.sampled_from(sources))))
    return found


def no_id(history, download, n):
    return None


def stable_id(history, download, n):
    return f"F{n}"


def renumbered_id(history, download, n):
    """Number the entries of each download from 1."""
    return str(n - download.first + 1)


def reused_id(history, download, n):
    """Use the same few ids again and again."""
    return f"R{n % 4}"


IDS = {"none": no_id, "stable": stable_id, "renumbered": renumbered_id, "reused": reused_id}


def entries_of(history, download, bank_id):
    return [
        Entry(
            line=n + 1,
            date=_FIRST + (m.day - 1) * 86_400,
            amount=m.amount_at(download.version) * 100,
            payee=m.payee,
            bank_id=bank_id(history, download, n),
        )
        for n, m in enumerate(history)
        if download.first <= n < download.end
    ]


def take(person, history, download, bank_id, *, dated=False):
    """Import a file, and return whether it was accepted; check that a dry run reports the same."""
    bank = Bank(person, download.source)
    options = {} if download.source == "csv" else {"account_name": NAME}
    bank.account = replace(bank.account, key=NAME, name=NAME) if not options else bank.account
    work = partial(
        bank.file,
        *entries_of(history, download, bank_id[download.source]),
        as_of=download.version if dated else None,
        **options,
    )
    before = person.snapshot()
    reports = []
    for dry_run in (True, False):
        try:
            reports.append(work(dry_run=dry_run))
        except ImportRefused as error:
            reports.append(error.reason)
        if dry_run:
            assert person.snapshot() == before
    assert reports[0] == reports[1]
    if isinstance(reports[1], str):
        assert person.snapshot() == before
        assert "--" in reports[1]
        event(reports[1].rpartition("--")[2])
        return False
    person.audit()
    return True


def true_records(history, taken):
    """Return what the imported files state; for each entry, the latest file counts."""
    latest = {}
    for download in taken:
        for n in range(download.first, download.end):
            latest[n] = max(latest.get(n, 0), download.version)
    return Counter((history[n].day, history[n].amount_at(version)) for n, version in latest.items())


def stored_records(person):
    return Counter(
        ((r["recordDate"] - _FIRST) // 86_400 + 1, r["amount"] // 100) for r in person.rows(RECORDS)
    )


def check(person, history, files, bank_id, *, dated=False):
    taken = [f for f in files if take(person, history, f, bank_id, dated=dated)]
    assert stored_records(person) == true_records(history, taken)
    event(f"{len(taken)} of {len(files)} taken")
    # Again, any number of times, in another order.
    before = person.snapshot()
    for download in reversed(taken):
        take(person, history, download, bank_id, dated=dated)
        assert person.snapshot() == before
    return len(taken) == len(files)


run = settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("style", ["none", "stable", "renumbered", "reused"])
@pytest.mark.nightly
@given(st.data())
@run
def test_files_of_whole_days_give_the_history(new_person, style, data):
    history = data.draw(histories(distinct=style in ("renumbered", "reused")))
    files = data.draw(downloads(history))
    ordered = data.draw(st.permutations(files))
    check(new_person(), history, ordered, {"ofx": IDS[style]})


@pytest.mark.parametrize("style", ["none", "stable"])
@pytest.mark.nightly
@given(st.data())
@run
def test_files_that_begin_in_the_middle_of_a_day_give_the_history(new_person, style, data):
    history = data.draw(histories())
    files = data.draw(downloads(history, whole_days=False))
    ordered = data.draw(st.permutations(files))
    check(new_person(), history, ordered, {"ofx": IDS[style]})


@pytest.mark.nightly
@given(st.data())
@run
def test_the_later_statement_wins_in_whatever_order_they_come(new_person, data):
    history = data.draw(histories(corrections=True))
    files = data.draw(downloads(history))
    ordered = data.draw(st.permutations(files))
    check(new_person(), history, ordered, {"ofx": stable_id}, dated=True)


@pytest.mark.parametrize("style", ["none", "stable", "renumbered"])
@pytest.mark.nightly
@given(st.data())
@run
def test_two_formats_of_one_account_never_double(new_person, style, data):
    history = data.draw(histories(distinct=style == "renumbered"))
    files = data.draw(downloads(history, sources=("ofx", "csv")))
    ordered = data.draw(st.permutations(files))
    check(new_person(), history, ordered, {"ofx": IDS[style], "csv": no_id})


@pytest.mark.nightly
@given(st.data())
@run
def test_the_same_files_in_any_order_give_the_same_records(new_person, data):
    history = data.draw(histories(corrections=True))
    files = data.draw(downloads(history))
    dumps = []
    for ordered in (files, data.draw(st.permutations(files))):
        person = new_person()
        assume(all(take(person, history, f, {"ofx": stable_id}, dated=True) for f in ordered))
        rows = person.rows(RECORDS)
        names = ("recordDate", "amount", "payee", "note", "sourceId")
        dumps.append(sorted(tuple(str(row[name]) for name in names) for row in rows))
    assert dumps[0] == dumps[1]
