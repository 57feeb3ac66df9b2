"""Sentences about what importers say: there is one for each topic, for commands and for pages."""

import json

import pytest

from finance_api.cli.import_texts import text
from finance_api.importers.clauses import (
    Day,
    FileRow,
    Says,
    StoredRow,
    Topic,
    Units,
    as_json,
    clause,
    from_json,
)
from finance_api.values.regions import region_of
from finance_api.values.time import parse_date
from finance_api.web.import_texts import PageWriter
from finance_api.wording import CLAUSES, TOPICS

DAY = Day(parse_date("2026-03-04"))
ENTRY = FileRow(DAY, Units(-125_000), "Baker", "7", 12)
RECORD = StoredRow(DAY, Units(-125_000), "abc", "The baker")
MOVED = clause(Topic.MOVED, entry=ENTRY, record=RECORD, more="", days=3)


def test_every_topic_has_a_sentence_and_a_way():
    assert TOPICS.keys() == set(Topic)
    assert CLAUSES.keys() == set(Says)
    assert not {*Topic} & {*Says}


def test_a_command_writes_plainly_and_a_page_as_in_the_region():
    assert text(MOVED) == (
        "2026-03-04 -12.5 Baker (id 7) in line 12 may be the record of 2026-03-04 -12.5 The baker, "
        "which the file should contain but does not"
    )
    german = PageWriter(region_of("de-DE"))
    assert "−12,50 Baker (id 7)" in german.text(MOVED)
    named = clause(Topic.ACCOUNTS_BUT_ONE_NAMED, count=2)
    assert text(named) == "the file has 2 accounts, but --account names one"
    assert german.text(named) == "the file has 2 accounts, but “Account” names one"


@pytest.mark.parametrize(
    "said",
    [
        MOVED,
        clause(Topic.CARD_BALANCE, amount=Units(50_000, 3), account="Visa", day=DAY),
        clause(Says.BOTH, both=(clause(Says.SAME_TRANSACTION, line=3), "x")),
    ],
)
def test_what_an_importer_says_survives_as_json(said):
    assert from_json(json.loads(json.dumps(as_json(said)))) == said
