"""Numbers in sentences: plain, or as in a region."""

import copy
import json
import pickle
import re
from pathlib import Path

import pytest

import finance_api
from finance_api.importers.interface import ChangeRefused
from finance_api.values.regions import DEFAULT, region_of
from finance_api.values.text import (
    TextError,
    amount_text,
    clean,
    counted,
    counted_text,
    day_text,
    edited,
    in_region,
    message,
    shown,
)

#: The parts whose sentences pages show. What other parts write has no region.
SHOWN_ON_PAGES = ("importers", "ledger", "questions", "uploads", "web")

SENTENCE = message(
    f"{counted_text(1_204, 'row')} of {day_text(1_795_651_200)}: {amount_text(-12_045_000)} EUR, "
    f"{amount_text(12_040_000, 0)} JPY"
)
PLAIN = "1,204 rows of 2026-11-26: -1204.5 EUR, 1204 JPY"


@pytest.mark.parametrize(
    ("region", "text"),
    [
        (DEFAULT, "1,204 rows of 26 Nov 2026: −1,204.50 EUR, 1,204 JPY"),
        (region_of("de-AT"), "1.204 rows of 26.11.2026: −1.204,50 EUR, 1.204 JPY"),
    ],
)
def test_a_message_has_the_numbers_and_days_of_its_reader(region, text):
    assert in_region(SENTENCE, region) == text
    assert in_region(edited(SENTENCE, "It has {}.".format), region) == f"It has {text}."
    assert in_region("1,204 rows", region) == "1,204 rows"


def test_a_message_is_plain_text_for_commands_and_the_api():
    assert SENTENCE == PLAIN
    assert f"{SENTENCE}." == "".join([SENTENCE, "."]) == f"{PLAIN}."
    assert json.dumps([SENTENCE]) == json.dumps([PLAIN])
    assert counted(1_204, "row") == "1,204 rows"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_message_stays_a_message_in_exceptions_copies_and_other_processes(copied):
    for text in (
        copied(SENTENCE),
        str(ValueError(SENTENCE)),
        copied(ChangeRefused(SENTENCE)).reason,
    ):
        assert (text, in_region(text, DEFAULT)) == (PLAIN, in_region(SENTENCE, DEFAULT))


@pytest.mark.parametrize("text", ["a\0c12,0\0b", "\0c\0", "\0d99999999999999999999,0\0"])
def test_no_text_of_a_user_has_marks(text):
    with pytest.raises(TextError):
        clean(text)
    assert "\0" not in shown(text)


def test_no_sentence_of_a_page_groups_digits_by_itself():
    root = Path(finance_api.__file__).parent
    sources = [path for part in SHOWN_ON_PAGES for path in (root / part).rglob("*.py")]
    assert len(sources) > 100
    assert [path.name for path in sources if re.search(r":,\}", path.read_text())] == []
    ledger = (root / "ledger").rglob("*.py")
    assert [path.name for path in ledger if "{date_text(" in path.read_text()] == ["transfers.py"]
