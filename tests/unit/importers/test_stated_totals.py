"""Files of banks that state how many entries they have, and their sum."""

import random
import re
from decimal import Decimal

import pytest

from finance_api.importers.interface import ImportRefused
from support.bank_files import (
    camt,
    camt_entry,
    camt_statement,
    mt940_entry,
    mt942,
    mt942_total,
    read_bank_file,
)
from support.nightly import count

DAY = "2026-01-05"


def refusal(data):
    with pytest.raises(ImportRefused) as refused:
        read_bank_file(data)
    return str(refused.value)


def summary(amounts, *, numbers=True, net=True, credits_only=False):
    """Return a camt summary of signed amounts."""

    def total(name, found, further=""):
        number = f"<NbOfNtries>{len(found)}</NbOfNtries>" if numbers else ""
        return f"<{name}>{number}<Sum>{sum(map(abs, found))}</Sum>{further}</{name}>"

    amounts = list(map(Decimal, amounts))
    incoming = [each for each in amounts if each > 0]
    whole = f"<TtlNetNtry><Amt>{abs(sum(amounts))}</Amt></TtlNetNtry>" if net else ""
    texts = [
        total("TtlNtries", amounts, whole),
        total("TtlCdtNtries", incoming),
        total("TtlDbtNtries", [each for each in amounts if each < 0]),
    ]
    return f"<TxsSummry>{texts[1] if credits_only else ''.join(texts)}</TxsSummry>"


def stated(entries, totals, further=""):
    return camt(camt_statement((camt_entry(DAY, a) for a in entries), further=further + totals))


ENTRIES = ["-10", "25.5", "-3.20"]


@pytest.mark.parametrize("options", [{}, {"numbers": False}, {"credits_only": True}])
def test_camt_with_right_totals_is_read(options):
    (found,) = read_bank_file(stated(ENTRIES, summary(ENTRIES, **options)))
    assert len(found.entries) == 3


@pytest.mark.parametrize(
    ("totals", "words"),
    [
        (summary([*ENTRIES, "7"]), "states 4 entries with a sum of 45.7, but it has 3 entries"),
        (summary([*ENTRIES, "7"], credits_only=True), "states 2 incoming entries with a sum of"),
        (summary([*ENTRIES, "-1"], numbers=False), "states entries with a sum of 39.7"),
        (summary(["-10", "25.5", "-3.30"]), "38.8, but it has 3 entries with a sum of 38.7"),
    ],
)
def test_camt_that_contradicts_its_totals_is_refused_with_both(totals, words):
    assert words in refusal(stated(ENTRIES, totals))


def test_totals_on_a_page_of_several_are_those_of_the_whole_statement():
    page = "<StmtPgntn><PgNb>1</PgNb><LastPgInd>{}</LastPgInd></StmtPgntn>"
    totals = summary([*ENTRIES, "7"])
    (found,) = read_bank_file(stated(ENTRIES, totals, page.format("false")))
    assert len(found.entries) == 3
    assert "states 4 entries" in refusal(stated(ENTRIES, totals, page.format("true")))


def test_entries_that_are_not_booked_may_count():
    entries = [camt_entry(DAY, "-10"), camt_entry(DAY, "-5", status="PDNG")]
    for amounts in (["-10"], ["-10", "-5"]):
        (found,) = read_bank_file(camt(camt_statement(entries, further=summary(amounts))))
        assert len(found.entries) == 1
    assert "but it has 1 entry with" in refusal(
        camt(camt_statement(entries, further=summary(["-5"])))
    )


def report(amounts, totals):
    data = mt942([mt940_entry(DAY, each) for each in amounts])
    return re.sub(r":90.*\n", "", data).replace("-\n", f"{totals}-\n")


def test_interim_report_that_contradicts_its_totals_is_refused_with_both():
    lines = "".join(mt940_entry(DAY, each) for each in [*ENTRIES, "-4"])
    out, into = mt942_total(lines, "D"), mt942_total(lines, "C")
    (found,) = read_bank_file(report(ENTRIES, into))
    assert len(found.entries) == 3
    words = "states 3 outgoing entries with a sum of 17.2, but it has 2 outgoing entries with a"
    assert words in refusal(report(ENTRIES, out + into))


def test_totals_on_the_last_page_may_be_those_of_all_pages():
    lines = [mt940_entry(DAY, each) for each in ENTRIES]
    first = report([], "").replace("-\n", f"{lines[0]}-\n")
    last = report(ENTRIES[1:], mt942_total("".join(lines), "D"))
    (found,) = read_bank_file(first + last)
    assert len(found.entries) == 3
    alone = report(ENTRIES[1:], mt942_total("".join(lines[1:]), "D"))
    assert len(read_bank_file(first + alone)[0].entries) == 3
    assert "outgoing" in refusal(first + last.replace(":90D:2", ":90D:3"))


@pytest.mark.parametrize("seed", range(count(40, 20_000)))
def test_a_missing_entry_is_noticed_and_a_whole_file_read(seed):
    chance = random.Random(seed)
    amounts = [f"{chance.randint(-9999, 9999) / 100 or 1}" for _ in range(chance.randint(1, 8))]
    kept = list(amounts)
    del kept[chance.randrange(len(kept))]
    lines = "".join(mt940_entry(DAY, each) for each in amounts)
    totals = mt942_total(lines, "D") + mt942_total(lines, "C")
    options = {name: chance.random() < 0.5 for name in ("numbers", "net")}
    for write, total in ((report, totals), (stated, summary(amounts, **options))):
        assert len(read_bank_file(write(amounts, total))[0].entries) == len(amounts)
        assert "but it has" in refusal(write(kept, total))
