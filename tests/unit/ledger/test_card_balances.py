"""A card's balance in OFX can be what is owed, as a positive number."""

import pytest

from finance_api.cli.import_texts import text
from finance_api.importers.interface import ImportRefused
from finance_api.importers.ofx.importer import OfxImporter
from finance_api.resources import ACCOUNTS
from finance_api.storage.memory import MemoryBackend
from support.csv_files import answers
from support.ledger import Person

#: Purchases of 42.5 in January; a payment of 100 and a purchase of 20 in February.
MONTHS = {
    "01": [("20260103", "-12.5", "1"), ("20260110", "-30", "2")],
    "02": [("20260202", "100", "3"), ("20260212", "-20", "4")],
    "03": [("20260303", "-5", "5")],
}


@pytest.fixture
def person():
    return Person(MemoryBackend())


def card(month, balance):
    rows = "".join(
        f"<STMTTRN><DTPOSTED>{day}<TRNAMT>{amount}<FITID>{bank_id}<NAME>Shop {bank_id}</STMTTRN>"
        for day, amount, bank_id in MONTHS[month]
    )
    return (
        f"<CCSTMTRS><CURDEF>USD<CCACCTFROM><ACCTID>4111</CCACCTFROM>"
        f"<BANKTRANLIST><DTSTART>2026{month}01<DTEND>2026{month}28{rows}</BANKTRANLIST>"
        f"<LEDGERBAL><BALAMT>{balance}<DTASOF>2026{month}28</LEDGERBAL></CCSTMTRS>"
    )


def take(person, *statements, **options):
    data = f"<OFX>{''.join(statements)}</OFX>"
    report = person.file(data, OfxImporter(options))
    person.audit()
    return report


def balances(person):
    (account,) = person.rows(ACCOUNTS)
    names = "balance", "bankBalance", "unexplained", "initialBalance"
    return tuple(account[name] / 10_000 for name in names)


def test_one_positive_balance_is_asked_for_with_both_ways(person):
    before = person.snapshot()
    for dry_run in (True, False):
        with pytest.raises(
            ImportRefused, match=r"the balance 142\.5 of Credit card 4111 on"
        ) as error:
            person.file(f"<OFX>{card('01', '142.5')}</OFX>", OfxImporter(), dry_run=dry_run)
        assert answers(error.value) == ["--card-balance owed", "--card-balance owned"]
        assert person.snapshot() == before


@pytest.mark.parametrize(("meaning", "balance"), [("owed", -142.5), ("owned", 142.5)])
def test_the_answer_counts_and_is_remembered(person, meaning, balance):
    take(person, card("01", "142.5"), card_balance=meaning)
    assert balances(person)[:3] == (balance, balance, 0)
    sign = -1 if meaning == "owed" else 1
    take(person, card("02", str(142.5 + sign * 80)))
    assert balances(person)[:3] == (balance + 80, balance + 80, 0)
    # Now more was paid than was owed.
    if meaning == "owed":
        take(person, card("03", "-7.5"))
        assert balances(person)[:2] == (7.5, 7.5)


@pytest.mark.parametrize(("february", "balance"), [("62.5", -62.5), ("222.5", 222.5)])
def test_two_months_that_fit_in_one_meaning_prove_it(person, february, balance):
    take(person, card("01", "142.5"), card("02", february))
    assert balances(person)[:3] == (balance, balance, 0)


def test_two_months_that_fit_in_no_meaning_prove_nothing(person):
    with pytest.raises(ImportRefused, match="may be what is owed"):
        take(person, card("01", "142.5"), card("02", "999"))


def test_an_earlier_balance_of_nothing_proves_the_meaning_of_the_next(person):
    take(person, card("01", "0"))
    take(person, card("03", "5").replace("20260303", "20260203"))
    assert balances(person)[:3] == (-5, -5, 0)


def test_an_earlier_negative_balance_proves_that_a_positive_one_is_owned(person):
    take(person, card("01", "-42.5"))
    take(person, card("02", "37.5"))
    assert balances(person)[:3] == (37.5, 37.5, 0)


def test_negative_balances_may_be_proven_to_be_owned(person):
    take(person, card("01", "-142.5"))
    take(person, card("02", "-222.5"))
    assert balances(person)[:3] == (222.5, 222.5, 0)


def test_negative_balances_and_those_of_other_accounts_are_not_asked_for(person):
    take(person, card("01", "-42.5"))
    assert balances(person)[:2] == (-42.5, -42.5)
    other = Person(MemoryBackend())
    take(
        other,
        card("01", "142.5")
        .replace("CCSTMT", "STMT")
        .replace("<CCACCT", "<BANKACCT")
        .replace("</CCACCT", "</BANKACCT"),
    )
    assert balances(other)[0] == 142.5


def test_a_negative_balance_after_large_payments_is_asked_for_with_both_ways(person):
    # In February 100 was paid and 20 spent: 45 was owed before, or 35.
    for balance, before in (("-35", -45), ("-45", -35)):
        with pytest.raises(ImportRefused, match=f"the balance {balance} of .* may be what") as e:
            take(person, card("02", balance))
        assert [
            (c.changes["card_balance"], text(c.meaning)) for c in e.value.questions[0].choices
        ] == [("owned", f"{balance} is owed"), ("owed", f"{balance} is on the card")]
        assert before + 80 == -int(balance)
    take(person, card("02", "-35"), card_balance="owed")
    assert balances(person) == (35, 35, 0, -45)


@pytest.mark.parametrize(
    "balance",
    [
        # 100 was owed, and all of it was paid.
        "-20",
        # More would have been on the card before than after.
        "-80.5",
        "-500",
    ],
)
def test_a_negative_balance_that_no_payment_explains_otherwise_is_owed(person, balance):
    take(person, card("02", balance))
    assert balances(person)[0] == float(balance)


def test_balances_stored_before_this_was_known_are_read_in_the_proven_meaning(person):
    take(person, card("01", "142.5"), card_balance="owned")
    (entry,) = person.history()
    entry.facts[0].pop("cardBalance")
    take(person, card("02", "62.5"))
    assert balances(person)[:3] == (-62.5, -62.5, 0)


def test_undo_forgets_the_answer(person):
    take(person, card("01", "142.5"), card_balance="owed")
    person.undo()
    with pytest.raises(ImportRefused, match="may be what is owed"):
        take(person, card("01", "142.5"))
