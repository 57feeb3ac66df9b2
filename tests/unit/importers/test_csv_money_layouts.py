"""Files with uncommon directions, balances or currencies are read right, or asked about.

One of the offered commands gives the right records, and no sequence of commands goes round.
"""

import shlex
from collections import Counter

import pytest

from finance_api.cli.import_texts import PLACEHOLDERS
from finance_api.cli.importing import commands_to_copy
from finance_api.importers.interface import ImportRefused
from finance_api.values.time import date_text
from support.csv_files import options_in, read
from support.money_layouts import MAKERS
from support.nightly import count

CODE = PLACEHOLDERS["currency"]

GIVEN = ["me@example.com", "f.csv"]
#: At most this many commands are followed in a row.
DEEPEST = 5


def outcomes(file, words, passed=()):
    """Yield the statements to which sequences of offered commands lead. Fails on a loop."""
    context, options = options_in(words)
    try:
        yield read(file.text, **options), len(passed)
    except ImportRefused as refused:
        reason = str(refused)
        assert reason not in passed and len(passed) < DEEPEST, (
            file.label,
            reason,
            words,
            file.text,
        )
        for command in commands_to_copy(context, *GIVEN, refused.answers):
            following = [file.currency if w == CODE else w for w in shlex.split(command.line)[2:]]
            yield from outcomes(file, following, (*passed, reason))


def verdict(file, statements):
    """ "right", "lost" (a stated balance is not used) or "wrong"."""
    found = {}
    for each in statements:
        entries = [(date_text(entry.date), entry.amount) for entry in each.entries]
        found.setdefault(each.statement.account.name, []).extend(entries)
    wanted = sorted(map(sorted, file.records.values()))
    if sorted(map(sorted, found.values())) != wanted:
        return "wrong"
    closing = statements[0].statement.closing
    if file.closing is None or len(statements) > 1:
        return "right"
    if closing is None:
        return "lost"
    return "right" if closing.amount == file.closing else "wrong"


@pytest.mark.nightly
@pytest.mark.parametrize("kind", MAKERS)
def test_a_file_is_never_wrong_unasked_and_an_offered_command_reads_it(kind):
    counts = Counter()
    numbers = range(count(20, 7_000))
    for number in numbers:
        file = MAKERS[kind](number)
        currency = ["--currency", file.currency] if file.currency else []
        ends = list(outcomes(file, [*GIVEN, "--account", file.account, *currency]))
        verdicts = [verdict(file, statements) for statements, _ in ends]
        is_asked = len(ends) > 1 or (ends and ends[0][1] > 0)
        counts["asked" if is_asked else verdicts[0] if verdicts else "refused"] += 1
        counts["needless"] += is_asked and file.is_plain
        if not is_asked and verdicts:
            assert verdicts[0] != "wrong", (file.label, file.text)
        else:
            assert {"right", "lost"} & set(verdicts), (file.label, verdicts, file.text)
        counts["best is lost"] += "right" not in verdicts
    print(kind, dict(counts))
    assert counts["needless"] <= 0.05 * len(numbers), counts
    assert counts["best is lost"] <= 0.05 * len(numbers), counts
