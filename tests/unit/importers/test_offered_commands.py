"""Every command that a message offers works as printed, and one of them gives the right records."""

import io
import shlex

import pytest

from finance_api.cli.importing import commands_to_copy
from finance_api.importers.interface import ImportRefused
from finance_api.importers.options import FILE_OPTIONS
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import make_order
from finance_api.resources import RECORDS
from support.answering import given_beside, person_with
from support.csv_files import options_in
from support.ledger import IMPORT_SETTINGS
from support.left_open import HEAD, POINTS, STORED, make
from support.nightly import count
from support.offered import GIVEN, ends


@pytest.mark.nightly
@pytest.mark.parametrize("point", POINTS)
def test_each_command_that_is_offered_works_and_one_is_right(point):
    asked = 0
    for seed in range(count(4, 400)):
        data, meant = make(seed, point)
        given = [*GIVEN, "--account", "Giro", "--currency", "EUR"] if seed % 2 else GIVEN
        found = ends(data, given)
        assert meant in [records for records, _ in found], (data, meant, found)
        # If there is only one command each time, it is right.
        if all(offered == 1 for _, path in found for offered in path):
            assert [records for records, _ in found] == [meant], (data, meant, found)
        asked += seed % 2 and any(path for _, path in found)
    assert asked, point


# -- what stored records leave open


def import_with(person, text, words):
    """Import a file with the options of a command line."""
    context, _ = options_in(words)
    names = {option.name for option in FILE_OPTIONS}
    given = {name: value for name, value in context.params.items() if name in names}
    settings = IMPORT_SETTINGS
    stream = io.BytesIO((HEAD + text).encode())
    order = make_order(
        stream, given, settings, email=person.user.email, now=person.clock.now(), name="f.csv"
    )
    return context, import_file(person.backend, order)


@pytest.mark.parametrize("point", STORED)
def test_each_command_for_what_records_leave_open_works(point):
    *_, text, expected = STORED[point]
    words = [*GIVEN, "--account", given_beside(point)["account"], "--currency", "EUR"]
    words += ["--map", "id=ref"]
    with pytest.raises(ImportRefused) as refused:
        import_with(person_with(point), text, words)
    context, _ = options_in(words)
    found = {}
    for command in commands_to_copy(context, *GIVEN, refused.value.answers):
        person, line = person_with(point), shlex.split(command.line)[2:]
        import_with(person, text, line)
        (new,) = (name for name in expected if name in " ".join(line))
        found[new] = len(person.rows(RECORDS))
        person.audit()
    assert found == expected
