"""Ordinary files of banks without a profile are read correctly, or lead to a question."""

import shlex
from collections import Counter

import pytest

from finance_api.cli.importing import commands_to_copy
from finance_api.importers.interface import ImportRefused
from finance_api.values.time import date_text
from support.bank_layouts import DAMAGES, damaged, make
from support.csv_files import options_in, read
from support.nightly import count

GIVEN = ["me@example.com", "f.csv", "--account", "Giro", "--currency", "EUR"]
#: Each part is a test of its own, so that parts can run in parallel.
PARTS = 4


def outcome(file, words=GIVEN):
    """("imported", ""), ("wrong", why) or ("asked", commands)."""
    context, options = options_in(words)
    try:
        (found,) = read(file.text, **options)
    except ImportRefused as refused:
        commands = commands_to_copy(context, *GIVEN[:2], refused.answers)
        return ("asked", [shlex.split(command.line)[2:] for command in commands], str(refused))
    got = [(date_text(entry.date), entry.amount) for entry in found.entries]
    meant = [(day.isoformat(), units) for day, units in zip(file.days, file.units, strict=True)]
    texts = [f"{entry.payee} {entry.note}" for entry in found.entries]
    if got != meant:
        return ("wrong", got, meant)
    if not all(p in t and n in t for t, p, n in zip(texts, file.payees, file.notes, strict=True)):
        return ("wrong", texts, file.notes)
    closing = found.statement.closing
    if file.closing is not None and closing is not None and closing.amount != file.closing:
        return ("wrong", closing, file.closing)
    return ("imported", "", "")


def leads_right(file, commands, questions=2):
    """Return whether a command gives the right records, at once or after one more question."""
    ends = [outcome(file, command) for command in commands if questions]
    return any(
        kind == "imported" or (kind == "asked" and leads_right(file, more[0], questions - 1))
        for kind, *more in ends
    )


def test_an_ambiguous_day_and_mostly_positive_amounts_are_asked_about_together():
    file = make(13128)
    kind, commands, _ = outcome(file)
    assert kind == "asked"
    assert leads_right(file, commands, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(PARTS))
def test_an_ordinary_file_is_imported_as_it_is_meant_or_asked_about(part):
    """If there is a question, one of the commands leads to the right records."""
    counts = Counter()
    numbers = range(part, count(100, 20_000), PARTS)
    for number in numbers:
        file = make(number)
        kind, *more = outcome(file)
        counts[kind] += 1
        assert kind != "wrong", (file.label, *more)
        if kind == "asked":
            commands, reason = more
            assert leads_right(file, commands), (file.label, reason, commands)
    print(dict(counts))
    assert counts["imported"] >= 0.85 * len(numbers), counts


@pytest.mark.parametrize("number", [7384, 9358, 1016318, 2010603])
def test_the_first_amount_may_go_the_other_way_than_all_others(number):
    """No amount has a sign, and the balances only rise: they may be what is owed."""
    file = make(number)
    kind, commands, reason = outcome(file)
    assert (kind, len(commands)) == ("asked", 4), reason
    ends = [outcome(file, command) for command in commands]
    assert sorted(end[0] for end in ends) == ["imported", "wrong", "wrong", "wrong"]
    # The other choices lead to other records each.
    assert len({str(end[1]) for end in ends}) == 4


@pytest.mark.nightly
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_or_loses_nothing(damage):
    counts = Counter()
    for number in range(count(50, 2_000)):
        file = damaged(make(number), damage, number)
        if file is None:
            continue
        kind, *more = outcome(file)
        counts[kind] += 1
        assert kind != "wrong", (damage, file.label, *more, file.text)
    print(damage, dict(counts))
    assert counts["asked"] or counts["imported"], counts
