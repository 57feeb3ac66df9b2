"""The labels of options and of their choices on the pages."""

from finance_api.importers.csv.mapping import FIELDS
from finance_api.importers.options import FILE_OPTIONS
from finance_api.web.option_labels import CHOICES, COLUMNS, changes_in_labels


def test_every_column_and_choice_has_a_label():
    assert set(COLUMNS) == set(FIELDS)
    choices = {option.name: set(option.choices) for option in FILE_OPTIONS if option.choices}
    assert {name: set(labels) for name, labels in CHOICES.items()} == choices


def test_a_choice_says_what_it_sets_or_takes_away():
    changes = {"columns": {"amount": ("Value",)}, "positive": "out"}
    assert changes_in_labels(changes) == (
        "“Amount column” Value, “Positive amounts: Money going out”"
    )
    assert changes_in_labels({"sheet": None}) == "without “Sheets”"
    assert changes_in_labels({"no_header": True, "only": ("a=b", "c=")}) == (
        "“No headings”, “Only rows with” a=b, “Only rows with” c="
    )
    assert changes_in_labels({"columns": {"amount": None}, "debit": None}) == (
        "without “Amount column”, “Debit column”"
    )
    assert changes_in_labels({"columns": {"valueDate": ("",)}}) == "no “Value date column”"
