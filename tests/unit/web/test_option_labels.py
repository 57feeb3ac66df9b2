"""Messages about options, with the pages' labels in place of options."""

import pytest

from finance_api.importers.csv.mapping import FIELDS
from finance_api.importers.options import FILE_OPTIONS
from finance_api.web.option_labels import CHOICES, COLUMNS, changes_in_labels, in_labels


def test_every_column_and_choice_has_a_label():
    assert set(COLUMNS) == set(FIELDS)
    choices = {option.name: set(option.choices) for option in FILE_OPTIONS if option.choices}
    assert {name: set(labels) for name, labels in CHOICES.items()} == choices


@pytest.mark.parametrize(
    ("message", "on_the_page"),
    [
        (
            "name it with --account, or its column with --map account=…; the columns are 'a'",
            "name it with “Account”, or its column with “Account column”; the columns are 'a'",
        ),
        ("give --account NAME", "give “Account”"),
        ("its column out with --map valueDate=", "its column out with no “Value date column”"),
        ("(--map note=Text)", "(“Note column” Text)"),
        (
            "1 with --decimal . and 2 with --decimal , and no",
            "1 with “Decimal sign: Point (1,234.50)” and 2 with "
            "“Decimal sign: Comma (1.234,50)” and no",
        ),
        (
            "leave out --encoding, or say --force-encoding",
            "leave out “Encoding”, or say “Force the encoding”",
        ),
        (
            "with --only '(1)Type=e' --only Tax=",
            "with “Only rows with” '(1)Type=e' “Only rows with” Tax=",
        ),
        # Words from the file stay unchanged.
        (
            "'pay --account' is the bank's: --sign",
            "'pay --account' is the bank's: “Direction column”",
        ),
        ("--accounts and --nothing", "--accounts and --nothing"),
    ],
)
def test_options_are_named_by_the_labels_of_their_fields(message, on_the_page):
    assert in_labels(message) == on_the_page


def test_a_choice_says_what_it_sets_or_takes_away():
    changes = {"columns": {"amount": ("Value",)}, "positive": "out"}
    assert changes_in_labels(changes) == (
        "“Amount column” Value, “Positive amounts: Money going out”"
    )
    assert changes_in_labels({"sheet": None}) == "without “Sheet”"
